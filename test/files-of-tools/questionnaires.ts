/**
 * Answers to questionnaires in some languages, from answers.csv. Their headings are questions that no
 * dictionary can contain.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { csvOf, dayOf, fileOfItems, nameOf, plainTime, type Review, type ToolFile } from './tool-file.ts';
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
const clock = ({ time }: Review) => time.slice(11);
const slashed = (each: Review) => dayOf(each).split('-').toReversed().join('/');
const twelve = (each: Review) => {
  const [hour = 0] = clock(each).split(':').map(Number);
  return { clock: `${hour % 12 || 12}:${clock(each).slice(3)}`, isMorning: hour < 12 };
};

const german = answersIn('German');
const wishes = ['Was hat Ihnen besonders gefallen?', 'Was können wir besser machen?'] as const;

/** A form of Google in German: times have the name of their zone. */
const germanForm = fileOfItems(german, 'Google Forms in German', 'answers.csv', {
  told: [
    /content: guessed from the values of Was hat .*, Was können/,
    /author\.name: guessed from the values of Wie heißen Sie\?/,
  ],
  bytes: csvOf(german, (each) => ({
    Zeitstempel: `${dayOf(each).replaceAll('-', '/')} ${twelve(each).clock}:00 ${twelve(each).isMorning ? 'AM' : 'PM'} MEZ`,
    'E-Mail-Adresse': each.email,
    'Wie heißen Sie?': nameOf(each),
    'Für welches Unternehmen arbeiten Sie?': each.company,
    'Wie zufrieden sind Sie mit uns? (1 = gar nicht, 5 = sehr)': String(each.rating),
    [wishes[0]]: each.text,
    [wishes[1]]: each.other,
    'Dürfen wir Ihre Antwort auf unserer Seite veröffentlichen?': 'Ja, ich bin damit einverstanden.',
  })),
  says: (each) => ({
    content: joined(wishes, each),
    // Central European Time is an hour ahead of UTC.
    time: new Date(Date.parse(`${each.time}Z`) - 3_600_000).toISOString().slice(0, 16),
  }),
});

const english = answersIn('English');

/** Typeform: a question a column, first and last name apart, and 0 to 10 for the recommendation. */
const typeform = fileOfItems(english, 'Typeform', 'answers.csv', {
  told: [/Ratings become stars from 1 to 5: “10” becomes 5, “8” becomes 4/],
  bytes: csvOf(english, (each, i) => ({
    '#': `k3j9x0q${i}vbn2`,
    'Hi! What’s your first name?': each.first,
    'And your last name?': each.last,
    'Where can we reach you, {{field:a1b2}}?': each.email,
    'How likely are you to recommend us to a friend or colleague?': String(2 * each.rating),
    'What do you love most about us?': each.text,
    'Response Type': 'completed',
    'Start Date (UTC)': `${plainTime(each).slice(0, 14)}00:59`,
    'Stage Date (UTC)': '',
    'Submit Date (UTC)': plainTime(each),
    'Network ID': `a1b2c3d4e${i}`,
    Tags: '',
    Ending: 'Thank you',
  })),
  without: ['company'],
});

const words = [
  '',
  'Very dissatisfied',
  'Somewhat dissatisfied',
  'Neutral',
  'Somewhat satisfied',
  'Very satisfied',
];

/**
 * Forms of Microsoft: the columns Email and Name are those of the account, and say nothing for a public form.
 */
const microsoftForms = fileOfItems(english, 'Microsoft Forms', 'Customer feedback(1-3).xlsx', {
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
      ...english.map((each, i): Cell[] => [
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
});

/** Contacts of Outlook, with what they said in their notes. */
const outlookContacts = fileOfItems(english, 'Outlook, contacts', 'contacts.CSV', {
  told: [/No date was found/, /content: guessed from the values of Notes/],
  bytes: csvOf(english, (each) => ({
    Title: 'Ms.',
    'First Name': each.first,
    'Middle Name': '',
    'Last Name': each.last,
    Suffix: '',
    Company: each.company,
    Department: 'Purchasing',
    'Job Title': 'Head of Purchasing',
    'Business Street': '12 Main Street, Springfield',
    'Business Phone': '+1 (555) 010-0199',
    Birthday: '4/1/1981',
    'E-mail Address': each.email,
    'E-mail Type': 'SMTP',
    'E-mail Display Name': `${nameOf(each)} (${each.email})`,
    Notes: each.text,
    Sensitivity: 'Normal',
  })),
  without: ['rating', 'time'],
  says: () => ({ role: 'Head of Purchasing' }),
});

const japanese = answersIn('Japanese');
const japaneseForm = fileOfItems(japanese, 'a form in Japanese', 'answers.csv', {
  told: [/Not used: ご意見の掲載に同意しますか？/],
  bytes: csvOf(japanese, (each) => ({
    タイムスタンプ: `${dayOf(each).replace(/(\d+)-0?(\d+)-0?(\d+)/, '$1年$2月$3日')} ${twelve(each).isMorning ? '午前' : '午後'}${twelve(each).clock}`,
    'お名前を教えてください。': nameOf(each),
    '会社名（任意）': each.company,
    返信用のアドレス: each.email,
    '当社のサービスにどのくらい満足していますか？（10点満点）': String(2 * each.rating),
    '使ってみた感想を自由にお書きください。': each.text,
    'ご意見の掲載に同意しますか？': '同意します',
  })),
});

const arabic = answersIn('Arabic');
const arabicForm = fileOfItems(arabic, 'a form in Arabic', 'answers.csv', {
  bytes: csvOf(arabic, (each) => ({
    'طابع زمني': `${slashed(each)} ${clock(each)}`.replace(/\d/g, (digit) =>
      String.fromCharCode(0x660 + Number(digit)),
    ),
    'ما اسمك الكامل؟': nameOf(each),
    'كيف يمكننا التواصل معك؟': each.email,
    'ما تقييمك لخدمتنا؟': String.fromCharCode(0x660 + each.rating),
    'احك لنا عن تجربتك معنا': each.text,
  })),
  without: ['company'],
});

const polish = answersIn('Polish');
const likes = ['Co Ci się u nas najbardziej podoba?', 'Co powinniśmy poprawić?'] as const;
const polishForm = fileOfItems(polish, 'a form in Polish', 'answers.csv', {
  bytes: csvOf(polish, (each) => ({
    'Sygnatura czasowa': plainTime(each),
    'Jak oceniasz naszą usługę?': '★'.repeat(each.rating),
    [likes[0]]: each.text,
    [likes[1]]: each.other,
    'Twoje imię i nazwisko': nameOf(each),
    'Gdzie pracujesz (nazwa firmy)?': each.company,
    'Na jaki adres mamy odpisać?': each.email,
  })),
  says: (each) => ({ content: joined(likes, each) }),
});

const italian = answersIn('Italian');
const dates: ((each: Answer) => Cell)[] = [
  ({ time }) => ({ day: time }),
  (each) => `${slashed(each)} ${clock(each)}`,
  ({ time }) => serialOf(time),
];

/** The answers of an Italian form, saved by Excel with groups above the headings and dates of three kinds. */
const italianForm = fileOfItems(italian, 'a form in Italian', 'risposte.xlsx', {
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
      ...italian.map((each, i) => [dates[i]?.(each), nameOf(each), each.email, each.rating, each.text]),
    ],
  }),
  without: ['company'],
});

export const questionnaires: ToolFile[] = [
  germanForm,
  typeform,
  microsoftForms,
  outlookContacts,
  japaneseForm,
  arabicForm,
  polishForm,
  italianForm,
];
