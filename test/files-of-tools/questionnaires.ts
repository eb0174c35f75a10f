/**
 * Answers to questionnaires in many languages, from answers.csv. Their headings are questions that no
 * dictionary can contain.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { csv, type Said, type ToolFile } from './tool-file.ts';
import { type Cell, workbook } from './workbook.ts';

interface Row {
  language: string;
  name: string;
  email: string;
  company: string;
  /** 1 to 5 */
  stars: string;
  /** ISO 8601, to the minute, UTC. */
  time: string;
  text: string;
  other: string;
}

interface Answer extends Omit<Row, 'stars'> {
  stars: number;
  texts: readonly [string, string];
}

const table: Row[] = parse(readFileSync(new URL('./answers.csv', import.meta.url)), { columns: true });

function answersIn(language: string): Answer[] {
  const rows = table.filter((row) => row.language === language);
  return rows.map((row) => ({ ...row, stars: Number(row.stars), texts: [row.text, row.other] }));
}

interface Questionnaire {
  /** What wrote the file. */
  tool: string;
  file?: string;
  told?: ToolFile['told'];
  answers: readonly Answer[];
  row: (answer: Answer, i: number) => Record<string, string>;
  /** The text of a testimonial. */
  content: (answer: Answer) => string;
  /** The members that the file has in another form. */
  says?: (answer: Answer) => Partial<Said>;
  /** The members that the file lacks. */
  without?: readonly ('rating' | 'time')[];
}

const saidBy = ({ answers, content, says = () => ({}), without = [] }: Omit<Questionnaire, 'row'>): Said[] =>
  answers.map((answer) => {
    const { name, email, stars, time } = answer;
    const said: Said = { content: content(answer), name, email, rating: stars, time, ...says(answer) };
    for (const field of without) delete said[field];
    return said;
  });

const questionnaire = ({ row, file = 'answers.csv', told = [], ...each }: Questionnaire): ToolFile => ({
  tool: each.tool,
  file,
  told,
  bytes: csv(row, ',', each.answers),
  said: saidBy(each),
});

/** Texts below the questions that they answer. */
const joined =
  (questions: readonly [string, string]) =>
  ({ texts }: Answer) =>
    questions.map((question, i) => `${question}\n${texts[i]}`).join('\n\n');
const firstText = ({ texts: [text] }: Answer) => text;
const [day, clock] = [(time: string) => time.slice(0, 10), (time: string) => time.slice(11)];
const inParts = (time: string) => day(time).split('-') as [string, string, string];
const slashed = (time: string) => inParts(time).toReversed().join('/');
const twelve = (time: string) => {
  const [hour = 0] = clock(time).split(':').map(Number);
  return { clock: `${hour % 12 || 12}:${clock(time).slice(3)}`, isMorning: hour < 12 };
};

const likes = 'Was hat Ihnen besonders gefallen?';
const wishes = 'Was können wir besser machen?';

/** A form of Google in German: times have the name of their zone. */
const germanForm = questionnaire({
  tool: 'Google Forms in German',
  told: [
    /content: guessed from the values of Was hat .*, Was können/,
    /author\.name: guessed from the values of Wie heißen Sie\?/,
  ],
  answers: answersIn('German'),
  row: ({ name, email, company, stars, time, texts }) => ({
    Zeitstempel: `${day(time).replaceAll('-', '/')} ${twelve(time).clock}:00 ${twelve(time).isMorning ? 'AM' : 'PM'} MEZ`,
    'E-Mail-Adresse': email,
    'Wie heißen Sie?': name,
    'Für welches Unternehmen arbeiten Sie?': company,
    'Wie zufrieden sind Sie mit uns? (1 = gar nicht, 5 = sehr)': String(stars),
    [likes]: texts[0],
    [wishes]: texts[1],
    'Dürfen wir Ihre Antwort auf unserer Seite veröffentlichen?': 'Ja, ich bin damit einverstanden.',
  }),
  content: joined([likes, wishes]),
  says: ({ company, time }) => ({
    company,
    // Central European Time is an hour ahead of UTC.
    time: new Date(Date.parse(`${time}Z`) - 3_600_000).toISOString().slice(0, 16),
  }),
});

const english = answersIn('English');

/** Typeform: a question a column, first and last name apart, and 0 to 10 for the recommendation. */
const typeform = questionnaire({
  tool: 'Typeform',
  told: [/Ratings become stars from 1 to 5: “10” becomes 5, “8” becomes 4/],
  answers: english,
  row: ({ name, email, stars, time, texts }, i) => ({
    '#': `k3j9x0q${i}vbn2`,
    'Hi! What’s your first name?': name.split(' ').slice(0, -1).join(' '),
    'And your last name?': name.split(' ').at(-1) ?? '',
    'Where can we reach you, {{field:a1b2}}?': email,
    'How likely are you to recommend us to a friend or colleague?': String(2 * stars),
    'What do you love most about us?': texts[0],
    'Response Type': 'completed',
    'Start Date (UTC)': `${day(time)} ${clock(time).slice(0, 3)}00:59`,
    'Stage Date (UTC)': '',
    'Submit Date (UTC)': `${day(time)} ${clock(time)}:00`,
    'Network ID': `a1b2c3d4e${i}`,
    Tags: '',
    Ending: 'Thank you',
  }),
  content: firstText,
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
const microsoftForms: ToolFile = {
  tool: 'Microsoft Forms',
  file: 'Customer feedback(1-3).xlsx',
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
      ...english.map(({ name, email, stars, time, texts }, i): Cell[] => [
        i + 1,
        { day: `${time.slice(0, 14)}00` },
        { day: time },
        'anonymous',
        undefined,
        name,
        email,
        words[stars],
        texts[0],
      ]),
    ],
  }),
  said: saidBy({ tool: '', answers: english, content: firstText }),
};

/** Contacts of Outlook, with what they said in their notes. */
const outlookContacts = questionnaire({
  tool: 'Outlook, contacts',
  file: 'contacts.CSV',
  told: [/No date was found/, /content: guessed from the values of Notes/],
  answers: english,
  row: ({ name, email, company, texts }) => ({
    Title: 'Ms.',
    'First Name': name.split(' ').slice(0, -1).join(' '),
    'Middle Name': '',
    'Last Name': name.split(' ').at(-1) ?? '',
    Suffix: '',
    Company: company,
    Department: 'Purchasing',
    'Job Title': 'Head of Purchasing',
    'Business Street': '12 Main Street, Springfield',
    'Business Phone': '+1 (555) 010-0199',
    Birthday: '4/1/1981',
    'E-mail Address': email,
    'E-mail Type': 'SMTP',
    'E-mail Display Name': `${name} (${email})`,
    Notes: texts[0],
    Sensitivity: 'Normal',
  }),
  content: firstText,
  says: ({ company }) => ({ company, role: 'Head of Purchasing' }),
  without: ['rating', 'time'],
});

const japanese = questionnaire({
  tool: 'a form in Japanese',
  told: [/Not used: ご意見の掲載に同意しますか？/],
  answers: answersIn('Japanese'),
  row: ({ name, email, company, stars, time, texts }) => ({
    タイムスタンプ: `${inParts(time)
      .map(Number)
      .join('年')
      .replace(/年(\d+)$/, '月$1日')} ${twelve(time).isMorning ? '午前' : '午後'}${twelve(time).clock}`,
    'お名前を教えてください。': name,
    '会社名（任意）': company,
    返信用のアドレス: email,
    '当社のサービスにどのくらい満足していますか？（10点満点）': String(2 * stars),
    '使ってみた感想を自由にお書きください。': texts[0],
    'ご意見の掲載に同意しますか？': '同意します',
  }),
  content: firstText,
  says: ({ company }) => ({ company }),
});

const arabic = questionnaire({
  tool: 'a form in Arabic',
  answers: answersIn('Arabic'),
  row: ({ name, email, stars, time, texts }) => ({
    'طابع زمني': `${slashed(time)} ${clock(time)}`.replace(/\d/g, (digit) =>
      String.fromCharCode(0x660 + Number(digit)),
    ),
    'ما اسمك الكامل؟': name,
    'كيف يمكننا التواصل معك؟': email,
    'ما تقييمك لخدمتنا؟': String.fromCharCode(0x660 + stars),
    'احك لنا عن تجربتك معنا': texts[0],
  }),
  content: firstText,
});

const polish = questionnaire({
  tool: 'a form in Polish',
  answers: answersIn('Polish'),
  row: ({ name, email, company, stars, time, texts }) => ({
    'Sygnatura czasowa': `${day(time)} ${clock(time)}:00`,
    'Jak oceniasz naszą usługę?': '★'.repeat(stars),
    'Co Ci się u nas najbardziej podoba?': texts[0],
    'Co powinniśmy poprawić?': texts[1],
    'Twoje imię i nazwisko': name,
    'Gdzie pracujesz (nazwa firmy)?': company,
    'Na jaki adres mamy odpisać?': email,
  }),
  content: joined(['Co Ci się u nas najbardziej podoba?', 'Co powinniśmy poprawić?']),
});

/** The answers of an Italian form, saved by Excel with groups above the headings and dates of three kinds. */
const italian: ToolFile = {
  tool: 'a form in Italian',
  file: 'risposte.xlsx',
  told: ['2 lines above the header are ignored.'],
  ...(() => {
    const answers = answersIn('Italian');
    const dates: ((time: string) => Cell)[] = [
      (time) => ({ day: time }),
      (time) => `${slashed(time)} ${clock(time)}`,
      (time) => Date.parse(`${time}Z`) / 86_400_000 + 25_569,
    ];
    const rows = answers.map(({ name, email, stars, time, texts }, i) => [
      dates[i]?.(time),
      name,
      email,
      stars + 0.0,
      texts[0],
    ]);
    return {
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
          ...rows,
        ],
      }),
      said: saidBy({ tool: '', answers, content: firstText }),
    };
  })(),
};

export const questionnaires: ToolFile[] = [
  germanForm,
  typeform,
  microsoftForms,
  outlookContacts,
  japanese,
  arabic,
  polish,
  italian,
];
