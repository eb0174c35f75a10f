/** What review tools, and the spreadsheets of people, call the columns of a file. */
import type { ColumnMap } from './columns.ts';
import { type LineField, lineFields } from './imported-line.ts';

const wordsIn = (text: string) => text.split(/\s+/);

const review = ['review', 'testimonial', 'feedback', ''];
const people = wordsIn('reviewer author customer client reviewuser user contact your');

const pairs = (first: readonly string[], second: readonly string[]) =>
  second.flatMap((end) => first.map((begin) => `${begin}${end}`));

/** The words for each field, the likeliest first: only letters and digits, in lower case, without accents. */
const familiar: Partial<Record<LineField, readonly string[]>> = {
  content: [
    ...pairs(review, wordsIn('text content body message')),
    ...wordsIn('review testimonial feedback yourreview yourtestimonial yourfeedback quote'),
    ...pairs(review, wordsIn('comment comments description')),
    ...wordsIn(`bewertungstext kundenstimme rezension kommentar nachricht meinung bewertung temoignage avis commentaire texte
      testimonio resena opinion comentario depoimento avaliacao recensione testimonianza commento recensie opmerking beoordeling`),
  ],
  rating: [
    ...pairs(review, wordsIn('rating stars starrating score numberofstars ratingstars')),
    ...wordsIn(`bewertung sterne anzahlsterne wertung punkte note etoiles calificacion puntuacion valoracion estrellas
      nota avaliacao estrelas classificacao voto stelle valutazione punteggio beoordeling waardering sterren`),
  ],
  type: pairs(review, wordsIn('type mediatype')),
  tags: pairs(review, wordsIn('tags labels categories keywords schlagworte kategorien etiquetas')),
  status: [
    ...pairs(review, wordsIn('status state approved published')),
    ...wordsIn('freigegeben statut estado stato'),
  ],
  createdAt: [
    ...pairs(
      review,
      wordsIn(`date createdat created createdon datecreated createdate createdutc creationdate
      createtime submittedat submitted submissiondate submissiontime datesubmitted
      postedat dateposted publishedat publisheddate publishdate datepublished datetime timestamp time when`),
    ),
    ...wordsIn('datum bewertungsdatum erstelltam erstellt eingegangenam zeitstempel fecha data'),
  ],
};

const emails = wordsIn('email emailaddress mail emailadresse correo correoelectronico courriel');
const companies =
  wordsIn(`company companyname organization organisation employer firma unternehmen entreprise societe
  empresa azienda bedrijf`);

// A bare name may be a product's, and a bare customer a number, where one of these is there.
const names = pairs(people, wordsIn('fullname displayname name nickname username'));
const otherNames = wordsIn(`fullname displayname name nickname username customer client user by
  kunde kundenname kundin verfasser autor nom auteur nombre nome cliente autore naam klant von`);
const partsOfName =
  wordsIn(`firstname+lastname givenname+familyname forename+surname vorname+nachname vorname+name
  prenom+nom nombre+apellidos nombre+apellido`).map((parts) => parts.split('+'));

// Where there is a text, they stand before it.
const titles = [
  ...pairs(review, ['title', 'headline', 'subject', 'summary']),
  ...wordsIn('titel betreff titre titulo titolo'),
];

/**
 * Columns that may be a field, the likeliest first; several where it is made of them, in their order.
 * @param known what other fields are made of
 */
export function columnsLike(field: LineField, columns: readonly string[], known: ColumnMap): string[][] {
  const byWord = new Map(columns.map((name) => [wordOf(name), name]));
  const those = (words: readonly string[]) => words.flatMap((word) => byWord.get(word) ?? []);
  const each = (words: readonly string[]) => those(words).map((name) => [name]);
  switch (field) {
    case 'content': {
      const [title] = those(titles);
      return each(familiar.content ?? []).map((found) => [
        ...(title !== undefined && !isTestimonial(found) ? [title] : []),
        ...found,
      ]);
    }
    case 'author.name': {
      const parts = ['', ...people].flatMap((person) =>
        partsOfName.map((both) => those(both.map((part) => `${person}${part}`))),
      );
      const whole = parts.filter(({ length }) => length === 2);
      const others = each([...otherNames, 'firstname', 'vorname']);
      return [...each([...names, 'reviewer', 'author']), ...whole, ...others];
    }
    case 'author.email':
    case 'author.company': {
      // What is called as the name is, is the same person's.
      const own = people.filter((person) => wordOf(known['author.name']?.[0] ?? '').startsWith(person));
      if (field === 'author.email') return each(pairs([...own, '', ...people], emails));
      // Beside a testimonial, a title is what its author does.
      const isTitled = isTestimonial(known.content);
      return each([...pairs([...own, '', ...people], companies), ...(isTitled ? ['title'] : [])]);
    }
    default:
      return each(familiar[field] ?? []);
  }
}

const known = new Set([
  ...lineFields.map(wordOf),
  ...Object.values(familiar).flat(),
  ...[...names, ...otherNames, ...partsOfName.flat(), 'reviewer', 'author', ...titles],
  ...pairs(['', ...people], [...emails, ...companies]),
]);

/** How many of some cells are names of columns. */
export function familiarIn(cells: readonly string[]): number {
  return cells.filter((cell) => known.has(wordOf(cell))).length;
}

const isTestimonial = (columns: readonly string[] = []) =>
  columns.some((name) => wordOf(name).startsWith('testimonial'));

/** `Rating (1-5)` and `starRating` are `rating` and `starrating`, `reviewer.displayName` is `reviewerdisplayname`. */
function wordOf(name: string): string {
  const word = name.replace(/\([^()]*\)/g, '').normalize('NFD');
  return word.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
