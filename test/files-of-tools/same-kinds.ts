/** Files of the kinds that were reported, as other tools and people write them. */
import { stringify } from 'csv-stringify/sync';
import {
  approvedOrNot,
  csv,
  dayOf,
  nameOf,
  type Review,
  reviews,
  type ToolFile,
  toolFile,
} from './tool-file.ts';
import { workbook } from './workbook.ts';

const plain = ({ time }: Review) => `${time.replace('T', ' ')}:00`;
const european = (each: Review) => dayOf(each).replace(/(\d+)-(\d+)-(\d+)/, '$3/$2/$1');
const misread = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const onDay = (each: Review) => ({ time: dayOf(each) });
const onlyReview = ['company', 'tags', 'status'] as const;
const thanks = {
  en: 'Thank you so much for these kind words, see you soon!',
  fr: 'Merci beaucoup pour ce message, à très bientôt chez nous !',
  es: 'Muchas gracias por sus palabras, le esperamos pronto.',
  it: 'Grazie mille per le sue parole, a presto da noi.',
  nl: 'Hartelijk dank voor deze woorden, graag tot snel!',
  pt: 'Muito obrigado pelas palavras, esperamos por você!',
  ja: 'この度はご利用いただき誠にありがとうございました。',
};

const curated = { approved: 'ok', pending: 'not-yet', rejected: 'spam' };
const judgeMe = toolFile('Judge.me', 'judgeme-reviews.csv', {
  told: [/Not used: .*reply/],
  bytes: csv((each) => ({
    title: '',
    body: each.text,
    rating: String(each.rating),
    review_date: `${plain(each)} UTC`,
    source: 'web',
    curated: curated[each.status],
    reviewer_name: nameOf(each),
    reviewer_email: each.email,
    product_id: '77',
    product_handle: 'blue-mug',
    reply: thanks.en,
    reply_date: '2024-05-05 10:00:00 UTC',
    picture_urls: '',
    ip_address: '203.0.113.1',
  })),
  without: ['company', 'tags'],
});

const yotpo = toolFile('Yotpo, whose merchants comment on reviews', 'yotpo-reviews.csv', {
  told: [/createdAt is read from Review Creation Date/, /Not used: .*Comment content/],
  bytes: csv((each) => ({
    'Review ID': '1001',
    'Review Title': '',
    'Review Content': each.text,
    'Review Score': String(each.rating),
    'Review Creation Date': `${each.time}:00.000Z`,
    'Review Status': { approved: 'Published', pending: 'Pending', rejected: 'Rejected' }[each.status],
    'Reviewer Display Name': nameOf(each),
    'Reviewer Email': each.email,
    'Reviewer Type': 'verified_buyer',
    'Product Title': 'Mug',
    'Comment content': thanks.en,
    'Comment public': 'true',
    'Comment created at': '2024-05-05T10:00:00Z',
  })),
  without: ['company', 'tags'],
});

const loox = toolFile('Loox', 'loox.csv', {
  told: [/Not used: .*verified_purchase/],
  bytes: csv((each, i) => ({
    product_handle: 'mug',
    rating: String(each.rating),
    author: nameOf(each),
    email: each.email,
    body: each.text,
    created_at: dayOf(each),
    photo_url: '',
    verified_purchase: i === 0 ? 'TRUE' : 'FALSE',
    status: { approved: 'Active', pending: 'Pending', rejected: 'Hidden' }[each.status],
  })),
  without: ['company', 'tags'],
  says: onDay,
});

const trustpilot = toolFile('Trustpilot for businesses', 'trustpilot.csv', {
  told: [/Review Status \(.*\) is not used for status/, /Not used: .*Company Reply Content/],
  bytes: csv((each, i) => ({
    'Review ID': `60${i}`,
    'Review Created (UTC)': plain(each),
    'Review Consumer User Name': nameOf(each),
    'Review Consumer User ID': `a1b2c3d4e${i}`,
    'Review Title': '',
    'Review Content': each.text,
    'Review Stars': String(each.rating),
    'Source Of Review': i === 0 ? 'Organic' : 'Invitation',
    'Company Reply Date (UTC)': '2024-05-05 10:00:00',
    'Company Reply Content': thanks.en,
    'Consumer Email': each.email,
    'Review Status': i === 0 ? 'Active' : 'Reported',
  })),
  without: onlyReview,
});

const bazaarvoice = toolFile('Bazaarvoice', 'bazaarvoice.json', {
  told: [/Sheet Results is imported/, /unknown@example\.com/],
  bytes: JSON.stringify({
    TotalResults: 3,
    Results: reviews.map((each, i) => ({
      Id: String(i),
      UserNickname: nameOf(each),
      Rating: each.rating,
      RatingRange: 5,
      Title: null,
      ReviewText: each.text,
      SubmissionTime: `${each.time}:00.000+00:00`,
      ModerationStatus: each.status.toUpperCase(),
      IsRecommended: each.rating > 3,
      ClientResponses: [{ Department: 'Support', Response: thanks.en, Date: '2024-05-05T00:00:00' }],
    })),
    Includes: { Products: { mug: { Name: 'Mug' } } },
  }),
  without: ['email', 'company', 'tags'],
});

const places = toolFile('Places API', 'places.json', {
  told: [
    /author\.name: guessed from the values of authorAttribution\.displayName/,
    /Not used: .*originalText/,
  ],
  bytes: JSON.stringify({
    reviews: reviews.map((each, i) => ({
      name: `places/ChIJ_${i}/reviews/Chd_${i}`,
      relativePublishTimeDescription: 'a month ago',
      rating: each.rating,
      text: { text: each.text, languageCode: 'en' },
      originalText: { text: i === 0 ? 'C’est super, deux jours gagnés.' : each.text, languageCode: 'fr' },
      authorAttribution: { displayName: nameOf(each), uri: `https://maps.example/${i}` },
      publishTime: `${each.time}:00Z`,
    })),
  }),
  without: ['email', ...onlyReview],
});

const structured = toolFile('structured data of a page', 'schema.json', {
  told: [/Not used: .*reviewRating\.bestRating/],
  bytes: JSON.stringify({
    '@type': 'Product',
    aggregateRating: { ratingValue: 4.4, reviewCount: 3 },
    review: reviews.map((each) => ({
      '@type': 'Review',
      author: { '@type': 'Person', name: nameOf(each) },
      datePublished: dayOf(each),
      reviewBody: each.text,
      reviewRating: { '@type': 'Rating', ratingValue: String(each.rating), bestRating: '5' },
    })),
  }),
  without: ['email', ...onlyReview],
  says: onDay,
});

const wooCommerce = toolFile('WooCommerce’s API', 'products-reviews.json', {
  told: [/HTML tags are removed from 3 testimonials/, /createdAt is read from date_created_gmt/],
  bytes: JSON.stringify(
    reviews.map((each, i) => ({
      id: 22 + i,
      date_created: `${dayOf(each)}T00:00:01`,
      date_created_gmt: `${each.time}:00`,
      product_id: 22,
      product_name: 'Mug',
      status: { approved: 'approved', pending: 'hold', rejected: 'trash' }[each.status],
      reviewer: nameOf(each),
      reviewer_email: each.email,
      review: `<p>${each.text.replaceAll('&', '&amp;').replaceAll('\n', '<br />\n')}</p>\n`,
      rating: each.rating,
      verified: i === 0,
    })),
  ),
  without: ['company', 'tags'],
});

const germanColumns: [string, string, (each: Review, i: number) => string][] = [
  ['StartDate', 'Startdatum', (each) => `${dayOf(each)} 00:01:00`],
  ['EndDate', 'Enddatum', plain],
  ['IPAddress', 'IP-Adresse', () => '203.0.113.7'],
  ['Progress', 'Fortschritt', () => '100'],
  ['Finished', 'Fertig', () => '1'],
  ['RecordedDate', 'Aufzeichnungsdatum', (each) => plain(each).replace(/00$/, '09')],
  ['ResponseId', 'Antwort-ID', (_, i) => `R_${i}a`],
  ['RecipientLastName', 'Nachname des Empfängers', (each) => each.last],
  ['RecipientFirstName', 'Vorname des Empfängers', (each) => each.first],
  ['RecipientEmail', 'E-Mail-Adresse des Empfängers', (each) => each.email],
  ['Q1', 'Wie zufrieden sind Sie mit uns?', (each) => String(each.rating)],
  ['Q3', 'Was möchten Sie uns sagen?', (each) => each.text],
];
const germanQualtrics = toolFile('Qualtrics in German', 'umfrage.csv', {
  told: [/2 rows of descriptions below the header are skipped/, /createdAt is read from EndDate/],
  bytes: stringify([
    germanColumns.map(([code]) => code),
    germanColumns.map(([, text]) => text),
    germanColumns.map(([code]) => JSON.stringify({ ImportId: code, timeZone: 'Europe/Berlin' })),
    ...reviews.map((each, i) => germanColumns.map(([, , cell]) => cell(each, i))),
  ]),
  without: onlyReview,
});

const monkeys = (
  [
    ['French', 'Prénom', 'Nom', 'Adresse électronique', 'Date de début', 'Date de fin', 'Réponse'],
    ['Spanish', 'Nombre', 'Apellidos', 'Correo electrónico', 'Fecha de inicio', 'Fecha de fin', 'Respuesta'],
  ] as const
).map(([language, first, last, email, start, end, response]) =>
  toolFile(`SurveyMonkey in ${language}`, `monkey-${language}.csv`, {
    told: [/1 row of descriptions below the header is skipped/, new RegExp(`createdAt is read from ${end}`)],
    bytes: stringify([
      ['ID', start, end, email, first, last, 'Note (1-5)', 'Que ...?'],
      ['', '', '', '', '', '', response, `${response} ${language === 'French' ? 'ouverte' : 'abierta'}`],
      ...reviews.map((each, i) => [
        String(11_400 + i),
        `${european(each)} 00:01:00`,
        `${european(each)} ${each.time.slice(11)}:00`,
        each.email,
        each.first,
        each.last,
        String(each.rating),
        each.text,
      ]),
    ]),
    without: onlyReview,
  }),
);

const inTokyo = (each: Review) => {
  const later = new Date(Date.parse(`${each.time}Z`) + 9 * 3_600_000).toISOString();
  const hour = Number(later.slice(11, 13));
  const clock = `${hour < 12 ? '午前' : '午後'} ${hour % 12 || 12}:${later.slice(14, 16)}:00`;
  return `${later.slice(0, 10).replaceAll('-', '/')} ${clock} GMT+9`;
};
const japaneseForm = toolFile('Google Forms in Japanese', 'フォームの回答.csv', {
  bytes: csv((each) => ({
    タイムスタンプ: inTokyo(each),
    メールアドレス: each.email,
    お名前: nameOf(each),
    '総合評価（5段階）': String(each.rating),
    ご感想をお聞かせください: each.text,
  })),
  without: onlyReview,
});

const japaneseShop = toolFile('a shop in Japan that answers', 'レビュー.csv', {
  told: [/Not used: .*ショップコメント/],
  bytes: csv((each) => ({
    お客様名: nameOf(each),
    メールアドレス: each.email,
    評価: String(each.rating),
    レビュー本文: each.text,
    投稿日: `${dayOf(each).replace(/(\d+)-0?(\d+)-0?(\d+)/, '$1年$2月$3日')}（${'日月火水木金土'[new Date(dayOf(each)).getUTCDay()]}）`,
    ショップコメント: thanks.ja,
  })),
  without: onlyReview,
  says: onDay,
});

const ago = {
  fr: ['il y a 3 jours', 'il y a une semaine', 'il y a 2 semaines'],
  es: ['hace 3 días', 'hace una semana', 'hace 2 semanas'],
  pt: ['há 3 dias', 'há uma semana', 'há 2 semanas'],
};
const daysAgo = (_: Review, i: number) => ({ daysAgo: [3, 7, 14][i] ?? 0 });
const longAgo = [
  toolFile('a shop in France that answers', 'avis.csv', {
    told: [/Not used: .*Réponse du propriétaire.*Date de réponse/],
    bytes: csv((each, i) => ({
      Nom: nameOf(each),
      Email: each.email,
      Note: `${each.rating}/5`,
      Avis: each.text,
      Date: ago.fr[i] ?? '',
      'Réponse du propriétaire': thanks.fr,
      'Date de réponse': '5 mars 2024',
    })),
    without: onlyReview,
    says: daysAgo,
  }),
  toolFile('a shop in Spain that answers', 'reseñas.csv', {
    told: [/Not used: .*Respuesta de la empresa/],
    bytes: csv(
      (each, i) => ({
        Nombre: nameOf(each),
        'Correo electrónico': each.email,
        Valoración: String(each.rating),
        Reseña: each.text,
        Fecha: ago.es[i] ?? '',
        'Respuesta de la empresa': i === 0 ? 'Gracias, ¡te esperamos!' : '',
      }),
      ';',
    ),
    without: onlyReview,
    says: daysAgo,
  }),
  toolFile('a shop in Brazil that answers', 'avaliações.csv', {
    told: [/Not used: .*Comentário do vendedor/],
    bytes: csv((each, i) => ({
      Cliente: nameOf(each),
      'E-mail': each.email,
      Nota: String(each.rating),
      Avaliação: each.text,
      Data: ago.pt[i] ?? '',
      'Comentário do vendedor': thanks.pt,
    })),
    without: onlyReview,
    says: daysAgo,
  }),
];

const dutchShop = toolFile('a shop in the Netherlands that answers', 'beoordelingen.csv', {
  told: [/Not used: Reactie van het bedrijf/, /“10” becomes 5/],
  bytes: csv(
    (each) => ({
      Naam: nameOf(each),
      'E-mailadres': each.email,
      Cijfer: String(2 * each.rating),
      Ervaring: each.text,
      Datum: european(each).replaceAll('/', '-'),
      'Reactie van het bedrijf': thanks.nl,
    }),
    ';',
  ),
  without: onlyReview,
  says: onDay,
});

const italianShop = toolFile('a shop in Italy that answers', 'recensioni.csv', {
  told: [/Not used: .*Commento del venditore/],
  bytes: csv((each) => ({
    'Nome cliente': nameOf(each),
    Email: each.email,
    Voto: String(each.rating),
    'Commento del cliente': each.text,
    'Data recensione': european(each),
    'Commento del venditore': thanks.it,
    'Data risposta': '05/05/2024',
  })),
  without: onlyReview,
  says: onDay,
});

const frenchHotel = toolFile('a hotel whose guests comment', 'commentaires.tsv', {
  told: [/Not used: Réponse au client/],
  bytes: csv(
    (each) => ({
      Client: nameOf(each),
      Courriel: each.email,
      Étoiles: String(each.rating),
      'Commentaire du client': each.text,
      'Publié le': new Intl.DateTimeFormat('fr', { dateStyle: 'long', timeZone: 'UTC' }).format(
        new Date(`${each.time}Z`),
      ),
      'Réponse au client': thanks.fr,
    }),
    '\t',
  ),
  without: onlyReview,
  says: onDay,
});

const crm = toolFile('a CRM that sorts by last names', 'kontakte.csv', {
  bytes: csv(
    (each) => ({
      Kontakt: `${each.last}, ${each.first}`,
      'E-Mail': each.email,
      Sterne: String(each.rating),
      Kommentar: each.text,
      Datum: european(each).replace(/(\d+)\/(\d+)\/\d\d(\d+)/, '$1.$2.$3'),
    }),
    ';',
  ),
  without: onlyReview,
  says: (each) => ({ time: dayOf(each), name: `${each.last}, ${each.first}` }),
});

const database = toolFile('a table of a database', 'comments.tsv', {
  told: [/Not used: verified/],
  bytes: csv(
    (each, i) => ({
      id: String(i + 1),
      name: nameOf(each),
      email: each.email,
      verified: i === 1 ? '0' : '1',
      approved: each.status === 'approved' ? '1' : '0',
      stars: String(each.rating),
      comment: each.text,
      created_at: plain(each),
    }),
    '\t',
  ),
  without: ['company', 'tags'],
  says: (each) => ({ status: approvedOrNot(each) }),
});

const accounts = { username: (each: Review) => each.email.replace(/@.*/, '_1') };
const helpDesk = toolFile('a help desk with thumbs', 'article-feedback.csv', {
  told: [/rating \(“1”, “0”\) is not used for rating/, /Not used: username/],
  bytes: csv((each, i) => ({
    username: accounts.username(each),
    first_name: each.first,
    last_name: each.last,
    email: each.email,
    rating: i === 2 ? '0' : '1',
    feedback: each.text,
    created: dayOf(each),
  })),
  without: ['rating', ...onlyReview],
  says: onDay,
});

const community = toolFile('a community with user names', 'members.ndjson', {
  told: [/Not used: username/],
  bytes: reviews
    .map((each) =>
      JSON.stringify({
        username: accounts.username(each),
        full_name: nameOf(each),
        user_email: each.email,
        stars: each.rating,
        comment: each.text,
        created: `${each.time}:00+00:00`,
      }),
    )
    .join('\n'),
  without: onlyReview,
});

const american = (each: Review) => {
  const hour = Number(each.time.slice(11, 13));
  const day = dayOf(each).replace(/\d\d(\d+)-(\d+)-(\d+)/, '$2/$3/$1');
  return `${day} ${String(hour % 12 || 12).padStart(2, '0')}:${each.time.slice(14)} ${hour < 12 ? 'AM' : 'PM'}`;
};
const recommended = toolFile('a form about recommending', 'responses.csv', {
  told: [/Not used: would_recommend/],
  bytes: csv((each) => ({
    Timestamp: american(each),
    'Full name': nameOf(each),
    'Email address': each.email,
    would_recommend: each.rating > 3 ? 'yes' : 'no',
    Comments: each.text,
  })),
  without: ['rating', ...onlyReview],
});

const linked = (text: string, url: string) => `[${text}](${url})`;
const markdown = toolFile('a table of Markdown links', 'quotes.csv', {
  bytes: csv((each) => ({
    Name: linked(nameOf(each), 'https://people.example/in/1'),
    Company: linked(each.company, 'https://company.example'),
    Email: linked(each.email, `mailto:${each.email}`),
    Quote: each.text,
    Stars: String(each.rating),
    Date: dayOf(each),
  })),
  without: ['tags', 'status'],
  says: ({ company, ...each }) => ({ company, time: dayOf({ ...each, company }) }),
});

const bracketed = toolFile('companies with URLs in brackets', 'clients.csv', {
  bytes: csv((each, i) => ({
    Client: `${nameOf(each)} (https://www.notion.so/client-${i})`,
    Company: `${each.company} ${i === 0 ? '<https://company.example>' : '[https://company.example/a]'}`,
    Email: `mailto:${each.email}`,
    Quote: each.text,
    Stars: String(each.rating),
    Date: dayOf(each),
  })),
  without: ['tags', 'status'],
  says: ({ company, ...each }) => ({ company, time: dayOf({ ...each, company }) }),
});

const emoji = toolFile('misread texts to which somebody added emoji', 'moods.csv', {
  told: [/Some letters were garbled/],
  bytes: csv((each, i) => ({
    name: misread(nameOf(each)),
    email: each.email,
    text: `${misread(each.text)}${i === 1 ? ' 👍🏽❤️' : ''}`,
    stars: String(each.rating),
    date: dayOf(each),
  })),
  without: onlyReview,
  says: (each, i) => ({ time: dayOf(each), content: `${each.text}${i === 1 ? ' 👍🏽❤️' : ''}` }),
});

const zoneNames = { 0: 'Mitteleuropäische Normalzeit', 1: 'Mitteleuropäische Sommerzeit' };
const germanScript = toolFile('a script in Germany', 'script.csv', {
  bytes: csv((each, i) => {
    const hours = i === 0 ? 2 : 1;
    const local = new Date(Date.parse(`${each.time}Z`) + hours * 3_600_000);
    const [weekday, day, month, year, clock] = local.toUTCString().replace(',', '').split(' ');
    return {
      name: nameOf(each),
      email: each.email,
      message: each.text,
      stars: String(each.rating),
      date: `${weekday} ${month} ${day} ${year} ${clock} GMT+0${hours}00 (${zoneNames[hours === 2 ? 1 : 0]})`,
    };
  }),
  without: onlyReview,
});

const zones = toolFile('a log with names of zones', 'log.csv', {
  bytes: csv((each) => ({
    name: nameOf(each),
    email: each.email,
    message: each.text,
    stars: String(each.rating),
    date: `${new Date(Date.parse(`${each.time}Z`) - 5 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')} America/New_York`,
  })),
  without: onlyReview,
});

const packed = toolFile('a backup with packed times', 'backup.csv', {
  told: [/Not used: app_id/],
  bytes: csv((each) => ({
    app_id: 'com.example.app',
    author: nameOf(each),
    email: each.email,
    rating: String(each.rating),
    review: each.text,
    created: `${each.time.replace(/\D/g, '')}00`,
  })),
  without: onlyReview,
});

const headlessBook = toolFile('a workbook without a header', 'book.xlsx', {
  told: [/the first row is imported/],
  bytes: workbook({
    Sheet1: reviews.map((each) => [nameOf(each), each.email, each.rating, each.text, { day: each.time }]),
  }),
  without: onlyReview,
});

const sentences = toolFile('a form whose headings are sentences', 'form.csv', {
  bytes: csv((each) => ({
    'Please tell us your name.': nameOf(each),
    'Your e-mail address (such as you@example.com)': each.email,
    'Rate our year 2023 from 1 to 5.': String(each.rating),
    'Tell us in your own words what you liked about it.': each.text,
    'Date of 2024': dayOf(each),
  })),
  without: onlyReview,
  says: onDay,
});

export const sameKinds: ToolFile[] = [
  judgeMe,
  yotpo,
  loox,
  trustpilot,
  bazaarvoice,
  places,
  structured,
  wooCommerce,
  germanQualtrics,
  ...monkeys,
  japaneseForm,
  japaneseShop,
  ...longAgo,
  dutchShop,
  italianShop,
  frenchHotel,
  crm,
  database,
  helpDesk,
  community,
  recommended,
  markdown,
  bracketed,
  emoji,
  germanScript,
  zones,
  packed,
  headlessBook,
  sentences,
];
