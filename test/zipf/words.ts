/** Words of customers' praise and complaints in each language, the most frequent first. */

export interface Words {
  /** Real words, most frequent first. */
  words: string[];
  /** Parts of the made-up rare words. */
  syllables: string[];
  endings: string[];
}

const list = (text: string) => text.trim().split(/\s+/);

/** The words of each language, by its name. */
export const wordsOf: Record<string, Words> = {
  english: {
    words: list(`
      the and to we our a of is for with in it this have that team was are on service us great they very as you has
      support product been their amazing all so from more customers time easy use recommend now would at be which
      business best work really helped company experience made love excellent every highly just one an not when
      customer working can years after get out new what had any than first were always my help much feedback quality
      project results simple month before found using how process quick helpful data even day within other who only
      setup fast platform up never response questions team's sales good without them no software better needed price
      professional users people way perfect tool saved thank weeks delivered could well back job friendly few looking
      reliable into value finally make knew want next months features report highlights design some answer also two
      onboarding integration migration delivery website dashboard everything anyone responsive outstanding terrible
      disappointed slow crashed refund expensive broken wonderful fantastic smooth clear reports invoices meetings
      `).filter((word) => !word.includes("'")),
    syllables: list(
      'ac ad al am ar ber cal can com con cor de den dis ed en er ex fil for gen gra har hol im in in',
    ),
    endings: list('ing ed ion er ly ment able ness ful ist ity ance al ive ous ty'),
  },
  german: {
    words: list(`
      und die der wir sehr mit das ist ein für in zu den uns hat nicht von eine es sind unsere auch im haben gut auf
      team als immer service war an alles dem bei schnell wurde sich nur freundlich kann so mehr empfehlen noch
      support zufrieden produkt unser aus wie einfach kunden oder nach jetzt super zeit über hilfe ich qualität toll
      beratung kompetent arbeit lösung jahre endlich früher preis größe übersichtlich zuverlässig begeistert danke
      gern wieder problem gelöst möglich ergebnis lieferung rechnung schulung einführung umstieg täglich weiter
      `),
    syllables: list(
      'ab an auf aus be ent er ge ver vor zer hin ar bei kon lei mei nach ober rei schu stel tra um',
    ),
    endings: list('ung keit heit lich isch bar sam en er te tet schaft los voll'),
  },
  french: {
    words: list(`
      de et le la les nous une un est très à notre avec pour en des que qui du dans pas équipe plus service au par
      sur tout a produit cette vous bien ont facile rapide toujours merci support ils temps clients recommande ce
      sont grâce même simple excellent qualité déjà améliorer expérience réponse utilisation outil projet après
      parfait agréable écoute efficace disponible été sans résultat délai livraison facture équipes année
      `),
    syllables: list(
      'ac af ap con cor dé em en ex for im in me par pré pro ré sou sur tra ven vis dis ob ma po',
    ),
    endings: list('tion ment eur euse able ité age ance ier ière eux ée er ir oir esse'),
  },
  spanish: {
    words: list(`
      de la y el que en muy los con nuestro para una un es las por se equipo no del nos servicio su más todo al como
      excelente lo rápido fácil producto siempre hemos calidad clientes ha atención gracias tiempo empresa mejor
      trabajo ayuda sin nuestra recomiendo gran están años experiencia solución soporte desde también día buen
      profesional resultado precio proyecto herramienta increíble mañana corazón opinión entrega factura equipos
      `),
    syllables: list(
      'a con de des en es im in me per pro re so tra vi al ar ca co lo ma pa par pe po sa ta te',
    ),
    endings: list('ción dad mente able ado ada ero era ismo ista ivo oso aje anza ez ura'),
  },
  italian: {
    words: list(`
      di e il la che per un è con molto una in non i del le da servizio sono team ci si più nostro al tutto prodotto
      sempre facile clienti ottimo qualità supporto grazie lavoro tempo veloce anche azienda assistenza semplice
      perché così consigliato esperienza soluzione nostri efficiente anni risultati prezzo affidabile già progetto
      `),
    syllables: list(
      'ac al ap as ca co con de di fi for im in la ma me mo pa per po pre ra ri so sta ta tra ve',
    ),
    endings: list('zione mente ità ezza abile ore ario iere oso ivo ato ata ismo enza aggio'),
  },
};
