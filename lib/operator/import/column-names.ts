/** The names that review tools and people give to columns. */

import { type LineField, lineFields } from './imported-line.ts';
import type { ColumnMap } from './map-columns.ts';

const wordsIn = (text: string) => text.split(/\s+/);

const review = ['review', 'testimonial', 'feedback', ''];
const people = wordsIn('reviewer author customer client reviewuser user contact your');

const pairs = (first: readonly string[], second: readonly string[]) =>
  second.flatMap((end) => first.map((begin) => `${begin}${end}`));

/** Names of each field, most likely first: lower-case letters and digits without accents. */
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

// These come before a bare `name`, which may be a product's, and a bare `customer`, which may be a number.
const names = pairs(people, wordsIn('fullname displayname name nickname username'));
const otherNames = wordsIn(`fullname displayname name nickname username customer client user by
  kunde kundenname kundin verfasser autor nom auteur nombre nome cliente autore naam klant von`);
const partsOfName =
  wordsIn(`firstname+lastname givenname+familyname forename+surname vorname+nachname vorname+name
  prenom+nom nombre+apellidos nombre+apellido`).map((parts) => parts.split('+'));

// A title goes before the text.
const titles = [
  ...pairs(review, ['title', 'headline', 'subject', 'summary']),
  ...wordsIn('titel betreff titre titulo titolo'),
];

/**
 * Returns the columns that could be a field, most likely first. A field can use several columns, in their order.
 * @param mapped the columns of other fields
 */
export function columnsLike(field: LineField, columns: readonly string[], mapped: ColumnMap): string[][] {
  const byWord = new Map(columns.map((name) => [wordOf(name), name]));
  const named = (words: readonly string[]) => words.flatMap((word) => byWord.get(word) ?? []);
  const eachNamed = (words: readonly string[]) => named(words).map((name) => [name]);
  switch (field) {
    case 'content': {
      const [title] = named(titles);
      return eachNamed(familiar.content ?? []).map((text) => [
        ...(title !== undefined && !isTestimonial(text) ? [title] : []),
        ...text,
      ]);
    }
    case 'author.name': {
      const parts = ['', ...people].flatMap((person) =>
        partsOfName.map((both) => named(both.map((part) => `${person}${part}`))),
      );
      const whole = parts.filter(({ length }) => length === 2);
      const others = eachNamed([...otherNames, 'firstname', 'vorname']);
      return [...eachNamed([...names, 'reviewer', 'author']), ...whole, ...others];
    }
    case 'author.email':
    case 'author.company': {
      // `Reviewer email` belongs to `Reviewer name`.
      const samePerson = people.filter((person) =>
        wordOf(mapped['author.name']?.[0] ?? '').startsWith(person),
      );
      if (field === 'author.email') return eachNamed(pairs([...samePerson, '', ...people], emails));
      // Next to a testimonial column, a title is the author's job.
      const isTitled = isTestimonial(mapped.content);
      return eachNamed([...pairs([...samePerson, '', ...people], companies), ...(isTitled ? ['title'] : [])]);
    }
    default:
      return eachNamed(familiar[field] ?? []);
  }
}

const familiarWords = new Set([
  ...lineFields.map(wordOf),
  ...Object.values(familiar).flat(),
  ...[...names, ...otherNames, ...partsOfName.flat(), 'reviewer', 'author', ...titles],
  ...pairs(['', ...people], [...emails, ...companies]),
]);

/** Counts the cells that are familiar column names. */
export function familiarIn(cells: readonly string[]): number {
  return cells.filter((cell) => familiarWords.has(wordOf(cell))).length;
}

const isTestimonial = (columns: readonly string[] = []) =>
  columns.some((name) => wordOf(name).startsWith('testimonial'));

/** `Rating (1-5)` and `starRating` are `rating` and `starrating`, `reviewer.displayName` is `reviewerdisplayname`. */
function wordOf(name: string): string {
  const word = name.replace(/\([^()]*\)/g, '').normalize('NFD');
  return word.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
