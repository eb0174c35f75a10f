/**
 * Answers to questionnaires in some languages, from answers.csv. Their headings are questions that no
 * dictionary can contain.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { fileOfItems, nameOf, type Review } from './tool-file.ts';
import { type Cell, serialOf, workbook } from './workbook.ts';

/** An answer with two texts. */
interface Answer extends Review {
  other: string;
}

interface Row extends Pick<Answer, 'email' | 'company' | 'time' | 'text' | 'other'> {
  language: string;
  name: string;
  /** 1 to 5 */
  stars: string;
}

const table: Row[] = parse(readFileSync(new URL('./answers.csv', import.meta.url)), { columns: true });

function answersIn(wanted: string): Answer[] {
  const rows = table.filter(({ language }) => language === wanted);
  return rows.map(({ name, stars, language: _, ...row }) => {
    const [, first = '', last = ''] = /^(.*) (\S+)$/.exec(name) ?? [];
    return { ...row, first, last, rating: Number(stars), role: '', status: 'pending', tags: [] };
  });
}

/** The texts below the questions that they answer. */
const joined = ([first, second]: readonly [string, string], { text, other }: Answer) =>
  `${first}\n${text}\n\n${second}\n${other}`;

const words = [
  '',
  'Very dissatisfied',
  'Somewhat dissatisfied',
  'Neutral',
  'Somewhat satisfied',
  'Very satisfied',
];

/** Dates of three kinds. */
const dates: ((each: Answer) => Cell)[] = [
  ({ time }) => ({ day: time }),
  ({ time }) => time.replace(/(\d+)-(\d+)-(\d+)T/, '$3/$2/$1 '),
  ({ time }) => serialOf(time),
];

export const questionnaires = [
  // Times have the name of their zone.
  fileOfItems(answersIn('German'), 'Google Forms in German', 'google-forms-in-german.csv', {
    told: [
      /content: guessed from the values of Was hat .*, Was können/,
      /author\.name: guessed from the values of Wie heißen Sie\?/,
    ],
    says: (each) => ({
      content: joined(['Was hat Ihnen besonders gefallen?', 'Was können wir besser machen?'], each),
      // Central European Time is an hour ahead of UTC.
      time: new Date(Date.parse(`${each.time}Z`) - 3_600_000).toISOString().slice(0, 16),
    }),
  }),
  // A question a column, first and last name apart, and 0 to 10 for the recommendation.
  fileOfItems(answersIn('English'), 'Typeform', 'typeform.csv', {
    told: [/Ratings become stars from 1 to 5: “10” becomes 5, “8” becomes 4/],
    without: ['company'],
  }),
  // The columns Email and Name are those of the account, and say nothing for a public form.
  fileOfItems(answersIn('English'), 'Microsoft Forms', 'Customer feedback(1-3).xlsx', {
    told: [/“Very satisfied” becomes 5, “Somewhat satisfied” becomes 4/, /Not used: .*Email \(“anonymous”\)/],
    bytes: workbook({
      Sheet1: [
        [
          'ID',
          'Start time',
          'Completion time',
          'Email',
          'Name',
          'Please enter your full name',
          'Your e-mail address',
          'How satisfied are you with our service?',
          'In your own words, what has changed for you?',
        ],
        ...answersIn('English').map((each, i): Cell[] => [
          i + 1,
          { day: `${each.time.slice(0, 14)}00` },
          { day: each.time },
          'anonymous',
          undefined,
          nameOf(each),
          each.email,
          words[each.rating],
          each.text,
        ]),
      ],
    }),
    without: ['company'],
  }),
  // With what they said in their notes.
  fileOfItems(answersIn('English'), 'Outlook, contacts', 'outlook-contacts.csv', {
    told: [/No date was found/, /content: guessed from the values of Notes/],
    without: ['rating', 'time'],
    says: () => ({ role: 'Head of Purchasing' }),
  }),
  fileOfItems(answersIn('Japanese'), 'a form in Japanese', 'form-in-japanese.csv', {
    told: [/Not used: ご意見の掲載に同意しますか？/],
  }),
  fileOfItems(answersIn('Arabic'), 'a form in Arabic', 'form-in-arabic.csv', { without: ['company'] }),
  fileOfItems(answersIn('Polish'), 'a form in Polish', 'form-in-polish.csv', {
    says: (each) => ({
      content: joined(['Co Ci się u nas najbardziej podoba?', 'Co powinniśmy poprawić?'], each),
    }),
  }),
  // Saved by Excel, with groups above the headings.
  fileOfItems(answersIn('Italian'), 'a form in Italian', 'risposte.xlsx', {
    told: ['2 lines above the header are ignored.'],
    bytes: workbook({
      Note: [['Da pubblicare entro aprile'], ['Chiedere a Marta']],
      Risposte: [
        ['Indagine 2024'],
        [undefined, 'Persona', undefined, 'Opinione'],
        [
          'Quando',
          'Come ti chiami?',
          'Dove ti scriviamo?',
          'Quanto sei soddisfatto?',
          'Raccontaci com’è andata',
        ],
        ...answersIn('Italian').map((each, i) => [
          dates[i]?.(each),
          nameOf(each),
          each.email,
          each.rating,
          each.text,
        ]),
      ],
    }),
    without: ['company'],
  }),
];
