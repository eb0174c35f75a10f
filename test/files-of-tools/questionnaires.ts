/** Answers to questionnaires in some languages, whose headings are questions that no dictionary contains. */
import { type FileParts, type Review, reviewsIn, toolFile } from './tool-file.ts';
import { type Cell, serialOf, workbook } from './workbook.ts';

/** A file of the answers in a language. */
const questionnaire = (language: string, tool: string, file: string, parts: FileParts) =>
  toolFile(tool, file, parts, reviewsIn(language));

/** The texts below the questions that they answer. */
const joined = ([first, second]: readonly [string, string], { text, other }: Review) =>
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
const dates: ((each: Review) => Cell)[] = [
  ({ time }) => ({ day: time }),
  ({ time }) => time.replace(/(\d+)-(\d+)-(\d+)T/, '$3/$2/$1 '),
  ({ time }) => serialOf(time),
];

export const questionnaires = [
  // Times have the name of their zone.
  questionnaire('German', 'Google Forms in German', 'google-forms-in-german.csv', {
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
  questionnaire('English', 'Typeform', 'typeform.csv', {
    told: [/Ratings become stars from 1 to 5: “10” becomes 5, “8” becomes 4/],
    without: ['company'],
  }),
  // The columns Email and Name are those of the account, and say nothing for a public form.
  questionnaire('English', 'Microsoft Forms', 'Customer feedback(1-3).xlsx', {
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
        ...reviewsIn('English').map((each, i): Cell[] => [
          i + 1,
          { day: `${each.time.slice(0, 14)}00` },
          { day: each.time },
          'anonymous',
          undefined,
          each.name,
          each.email,
          words[each.rating],
          each.text,
        ]),
      ],
    }),
    without: ['company'],
  }),
  // The notes of the contacts contain the testimonials.
  questionnaire('English', 'Outlook, contacts', 'outlook-contacts.csv', {
    told: [/No date was found/, /content: guessed from the values of Notes/],
    without: ['rating', 'time'],
    says: () => ({ role: 'Head of Purchasing' }),
  }),
  questionnaire('Japanese', 'a form in Japanese', 'form-in-japanese.csv', {
    told: [/Not used: ご意見の掲載に同意しますか？/],
  }),
  questionnaire('Arabic', 'a form in Arabic', 'form-in-arabic.csv', { without: ['company'] }),
  questionnaire('Polish', 'a form in Polish', 'form-in-polish.csv', {
    says: (each) => ({
      content: joined(['Co Ci się u nas najbardziej podoba?', 'Co powinniśmy poprawić?'], each),
    }),
  }),
  // Saved by Excel, with groups above the headings.
  questionnaire('Italian', 'a form in Italian', 'risposte.xlsx', {
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
        ...reviewsIn('Italian').map((each, i) => [
          dates[i]?.(each),
          each.name,
          each.email,
          each.rating,
          each.text,
        ]),
      ],
    }),
    without: ['company'],
  }),
];
