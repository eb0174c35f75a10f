/** What customers say, in whole sentences: for demonstrations, where words by their frequency alone read like noise. */

/** Sentences of one mood: one of each is a testimonial, or the first two. */
interface Mood {
  openings: string[];
  details: string[];
  closings: string[];
}

export interface Sentences {
  happy: Mood;
  unhappy: Mood;
}

/** By the names of `languages`. */
export const sentences: Record<string, Sentences> = {
  english: {
    happy: {
      openings: [
        'Amazing product, and a pleasure to work with every day.',
        'We looked at five tools before this one, and I am glad that we did not stop at four.',
        'This has quietly become the most useful thing on my screen.',
        'Honestly the best decision our team made this year.',
        'I was sceptical at first, and I have never been so happy to be wrong.',
        'It does one thing, and it does it brilliantly.',
        'Great service from the first call to the last invoice.',
        'Our customers noticed the difference before we did.',
        'We moved over in a week, and nobody wants to go back.',
        'Simple, fast, and it never gets in the way.',
      ],
      details: [
        'Onboarding took an afternoon, and everyone was productive the next morning.',
        'The reports save us two days of spreadsheets every month.',
        'Support answered within minutes, on a Sunday, and solved it in one message.',
        'The migration of eight years of data went through without a single lost record.',
        'Our site loads noticeably faster since we switched.',
        'The integrations with the tools that we already use just worked.',
        'Billing is finally something that I do not have to think about.',
        'Even the colleagues who hate new software asked for a login.',
        'The dashboard shows me what matters before I have finished my coffee.',
        'The documentation reads as if somebody had actually tried every step.',
        'It works offline on the train, which is where I do most of my planning.',
        'We found two expensive mistakes in the first week, and paid for the year with that.',
      ],
      closings: [
        'Highly recommended.',
        'I have already told three other companies about it.',
        'We renewed without a second thought.',
        'Worth every cent.',
        'I would choose it again tomorrow.',
        'Thank you to the whole team!',
        'If you hesitate: try it for a week.',
        'Five stars, and I do not give them easily.',
      ],
    },
    unhappy: {
      openings: [
        'I wanted to like this more than I do.',
        'A good idea that is not quite finished.',
        'It was fine at the beginning, and got slower every month.',
        'Not what the demo promised.',
      ],
      details: [
        'The import stopped in the middle twice, and nobody could tell us why.',
        'Search on the phone is nearly unusable for a team of our size.',
        'Every second feature that we asked for is part of the next plan up.',
        'Support is friendly, but it takes days until somebody looks at the problem.',
        'Exports look different each time, so we still check all of them by hand.',
      ],
      closings: [
        'We will look again next year.',
        'Expensive for what it does today.',
        'I hope that this gets better.',
        'We went back to our spreadsheet.',
      ],
    },
  },
  german: {
    happy: {
      openings: [
        'Ein Werkzeug, das man nach einer Woche nicht mehr hergeben will.',
        'Wir sind seit zwei Jahren dabei und rundum zufrieden.',
        'Endlich Software, die unser Team gern benutzt.',
        'Sehr übersichtlich, sehr schnell, sehr zu empfehlen.',
      ],
      details: [
        'Die Einführung dauerte einen Nachmittag, die Schulung eine Stunde.',
        'Der Support ist freundlich, kompetent und ruft tatsächlich zurück.',
        'Unsere Auswertungen entstehen jetzt in Minuten statt in Tagen.',
        'Der Umstieg klappte ohne einen einzigen verlorenen Datensatz.',
        'Auch auf dem Telefon findet man alles dort, wo man es sucht.',
      ],
      closings: ['Klare Empfehlung!', 'Gern wieder.', 'Danke an das ganze Team.', 'Jeden Euro wert.'],
    },
    unhappy: {
      openings: ['Die Idee ist gut, die Umsetzung noch nicht.', 'Leider nicht das, was versprochen wurde.'],
      details: [
        'Bei großen Listen warten wir jedes Mal eine halbe Minute.',
        'Auf eine Antwort warteten wir vier Tage.',
      ],
      closings: ['Schade.', 'Für den Preis zu wenig.'],
    },
  },
  french: {
    happy: {
      openings: [
        "Un outil que toute l'équipe a adopté en une semaine.",
        'Nous avons comparé cinq solutions : celle-ci est de loin la meilleure.',
        'Très simple, très rapide, vraiment agréable au quotidien.',
        'Un service à la hauteur, du premier appel à la dernière facture.',
      ],
      details: [
        'La mise en place a pris une après-midi, formation comprise.',
        'Le support répond en quelques minutes, même le dimanche.',
        'Nos rapports mensuels ne nous coûtent plus que dix minutes.',
        "La migration s'est faite sans perdre une seule donnée.",
        'Les intégrations avec nos outils ont fonctionné du premier coup.',
      ],
      closings: [
        'Je recommande !',
        "Merci à toute l'équipe.",
        'Nous avons renouvelé sans hésiter.',
        'Bravo.',
      ],
    },
    unhappy: {
      openings: [
        "L'idée est bonne, mais le résultat déçoit.",
        'Pas encore prêt pour une équipe comme la nôtre.',
      ],
      details: [
        'Les exports sont lents et parfois incomplets.',
        'Il a fallu attendre une semaine pour une réponse.',
      ],
      closings: ['Dommage.', 'Trop cher pour ce que cela fait.'],
    },
  },
  spanish: {
    happy: {
      openings: [
        'Una herramienta que el equipo pidió conservar desde el primer día.',
        'Fácil, rápida y sin sorpresas: justo lo que buscábamos.',
        'La mejor decisión que tomamos este año.',
        'Un servicio excelente, de principio a fin.',
      ],
      details: [
        'La puesta en marcha nos llevó una tarde.',
        'El soporte contesta en minutos y resuelve de verdad.',
        'Los informes nos ahorran dos días de trabajo al mes.',
        'Migramos ocho años de datos sin perder nada.',
        'Funciona igual de bien en el teléfono que en la oficina.',
      ],
      closings: [
        'Muy recomendable.',
        '¡Gracias a todo el equipo!',
        'Volveríamos a elegirla mañana.',
        'Vale lo que cuesta.',
      ],
    },
    unhappy: {
      openings: ['La idea es buena, pero le falta madurar.', 'No es lo que nos prometieron.'],
      details: ['Con listas grandes se vuelve muy lenta.', 'Tardaron cuatro días en contestar.'],
      closings: ['Una pena.', 'Demasiado cara para lo que hace hoy.'],
    },
  },
  italian: {
    happy: {
      openings: [
        'Uno strumento che tutto il team ha adottato in una settimana.',
        'Semplice, veloce e sempre affidabile.',
        'La scelta migliore che abbiamo fatto quest’anno.',
        'Un servizio eccellente, dalla prima telefonata in poi.',
      ],
      details: [
        'La messa in opera ha richiesto un pomeriggio.',
        'L’assistenza risponde in pochi minuti, anche la domenica.',
        'I rapporti ci fanno risparmiare due giorni al mese.',
        'Abbiamo migrato otto anni di dati senza perdere nulla.',
        'Anche i colleghi più scettici ora lo usano ogni giorno.',
      ],
      closings: [
        'Consigliatissimo!',
        'Grazie a tutto il team.',
        'Lo sceglieremmo di nuovo.',
        'Vale ogni centesimo.',
      ],
    },
    unhappy: {
      openings: ['L’idea è buona, la realizzazione meno.', 'Non è quello che ci avevano promesso.'],
      details: ['Con elenchi lunghi diventa lento.', 'Abbiamo aspettato quattro giorni per una risposta.'],
      closings: ['Peccato.', 'Troppo caro per quello che fa.'],
    },
  },
};

/** The first part of a company's name. */
export const companies = [
  ...['Alder & Finch', 'Blue Fern', 'Brightwater', 'Cobalt Lane', 'Copper Kettle', 'Fairlead', 'Fieldnote'],
  ...['Greyhaven', 'Harbour Nine', 'Juniper Row', 'Kestrel', 'Lindgren', 'Lumen & Oak', 'Meridian'],
  ...[
    'Nordlicht',
    'Oakbridge',
    'Papermill',
    'Quayside',
    'Riverbend',
    'Sollund',
    'Tamarind',
    'Vireo',
    'Westwind',
  ],
];
