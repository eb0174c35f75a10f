/** The markup of forms, and their texts. */
import { describe, expect, test } from '@jest/globals';
import { decode } from 'html-entities';
import en from '../../../functions/serve-pages/assets/translations/en.json' with { type: 'json' };
import { codeNameOf, mediaHeaders, servedSettings } from '../../../functions/serve-pages/form-media.ts';
import { formPage, thanksPage } from '../../../functions/serve-pages/form-page.ts';
import type { FormSettings } from '../../../functions/serve-pages/page-settings.ts';
import { type FormTextName, formVoice, translationOf } from '../../../functions/serve-pages/translations.ts';
import wallTexts from '../../../functions/serve-pages/wall-texts.json' with { type: 'json' };
import { viewOf } from './form-view.ts';
import { hostileTexts } from './hostile.ts';

const shown = (...how: Parameters<typeof viewOf>) => String(formPage(viewOf(...how)));
const thanked = (...how: Parameters<typeof viewOf>) => String(thanksPage(viewOf(...how)));
/** Returns the elements and the names of their attributes, without any text. */
const skeletonOf = (markup: string) => markup.replace(/"[^"]*"/g, '""').match(/<[^>]*>/g);
const typedIn = (markup: string, name: string) =>
  decode(new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(markup)?.[1] ?? '');
const contentOf = (markup: string) => decode(/<textarea[^>]*>([^<]*)<\/textarea>/.exec(markup)?.[1] ?? '');
const errorAt = (markup: string, name: string) =>
  decode(new RegExp(`id="${name}-error"[^>]*>([^<]*)<`).exec(markup)?.[1] ?? '');
const summaryOf = (markup: string) => /<section[\s\S]*<\/section>/.exec(markup)?.[0] ?? '';

describe('texts', () => {
  const placeholders = (text = '') => text.match(/\{\w+\}/g)?.sort() ?? [];

  test.each(['de', 'fr', 'es', 'pt'])('in %s are complete and have the same placeholders', (lang) => {
    for (const [part, texts] of Object.entries({ form: en.form, media: en.media, wall: wallTexts })) {
      const translated = translationOf(lang)?.[part as 'form'] ?? {};
      expect(Object.keys(translated).toSorted()).toEqual(Object.keys(texts).toSorted());
      for (const [name, text] of Object.entries(texts)) {
        expect(translated[name]).toMatch(text === '' ? /^$/ : /\S/);
        expect([name, placeholders(translated[name])]).toEqual([name, placeholders(text)]);
      }
    }
  });

  test.each<[FormTextName, Partial<FormSettings>, string]>([
    ['send', { lang: 'pt-BR' }, 'Enviar'],
    ['send', { lang: 'DE-at' }, 'Absenden'],
    ['send', { lang: 'ja' }, 'Send'],
    ['send', { lang: 'ja', texts: { send: '送信' } }, '送信'],
    ['thanks', { texts: { thanks: 'From the texts' } }, 'From the texts'],
    ['thanks', { texts: { thanks: 'From the texts' }, thanks: 'From the setting' }, 'From the setting'],
    ['consent', { lang: 'fr', consent: 'Publish it.' }, 'Publish it.'],
    ['nameRequired', { lang: 'de', texts: { required: 'Fehlt' } }, 'Fehlt'],
    ['emailRequired', { texts: { required: 'Missing', emailRequired: 'Your e-mail?' } }, 'Your e-mail?'],
    ['link', { texts: { link: 'From the texts' }, 'link-text': 'Visit us' }, 'Visit us'],
  ])('%s with %j', (name, settings, expected) => {
    expect(formVoice({ lang: 'en', texts: {}, ...settings })(name)).toBe(expected);
  });

  test('have numbers in the format of their language', () => {
    const say = formVoice({ lang: 'de', texts: { required: '{other} {min}' } });
    expect(say('length', { min: 10, max: 10_000 })).toBe('Bitte schreiben Sie 10 bis 10.000 Zeichen.');
    expect(say('required', { min: 1 })).toBe('{other} 1');
  });

  test.each(['constructor', '__proto__', 'valueOf', '', '{min}', 'a b'])(
    'keep the placeholder {%s}, for which there is no value',
    (name) => {
      const text = `Write {min} or {${name}`;
      const say = formVoice({ lang: 'en', texts: { length: `${text}}`, required: text } });
      expect(say('length', { min: 10 })).toBe(`Write 10 or {${name.replace('{min}', '10')}}`);
      expect(say('required', { min: 10 })).toBe(`Write 10 or {${name.replace('{min}', '10')}`);
    },
  );
});

describe('a form', () => {
  test('has a label for every field, and says which ones are optional', () => {
    const markup = shown();
    for (const name of ['content', 'author.name', 'author.email', 'author.role', 'author.company'])
      expect(markup).toContain(`<label for="${name}">`);
    expect(markup.match(/\(optional\)/g)).toHaveLength(3);
    expect(markup.match(/ required /g)).toHaveLength(4);
    expect(markup.match(/type="radio"/g)).toHaveLength(6);
    expect(markup).toMatch(/value="" checked[\s\S]*No rating/);
    expect(markup).toContain('novalidate');
  });

  test('sends to its own path, with the hidden fields and the trap for robots', () => {
    const markup = shown();
    expect(markup).toContain('<form method="post" action="/f/0123456789abcdefghijkl?sent"');
    expect(typedIn(markup, 'key')).toBe('k'.repeat(22));
    expect(typedIn(markup, 'shownAt')).toBe('1700000000000');
    expect(markup).toMatch(
      /aria-hidden="true"><label>[^<]*<input name="subject" tabindex="-1" autocomplete="off">/,
    );
    expect(markup).not.toMatch(/ style=| on\w+=/);
  });

  test('omits hidden fields, and reports their errors only above', () => {
    const tooLong = 'must have 1 to 200 characters';
    const errors = {
      'author.role': tooLong,
      'author.company': tooLong,
      rating: 'is odd',
      key: 'is required',
    };
    const markup = shown({ hide: 'stars, company, role' }, { errors, notice: 'invalid' });
    expect(markup).not.toMatch(/name="(rating|author\.(role|company))"/);
    for (const name of Object.keys(errors)) expect(summaryOf(markup)).toContain(`<li>${name} – `);
    expect(summaryOf(markup)).not.toContain('href');
  });

  test('has the invitation, the sentence of consent and the language of its settings', () => {
    const markup = shown({ intro: 'Two\nlines', consent: 'Publish it.', lang: 'he' });
    expect(markup).toContain('Two\nlines</p>');
    expect(markup).toContain('<meta name="description" content="Two\nlines">');
    expect(markup).toContain('<span>Publish it.</span>');
    expect(markup).toContain('<html lang="he" dir="rtl">');
    expect(shown({ lang: 'fr' })).toMatch(/<html lang="fr"[\s\S]*Votre nom[\s\S]*Envoyer/);
  });

  test.each(['', '\n', '\n\n', ' ', '\n<'])('keeps 10,000 letters after %j', (start) => {
    const content = start + 'ö'.repeat(10_000);
    // Browsers drop the first newline.
    expect(contentOf(shown({}, { typed: new URLSearchParams({ content }) }))).toBe(`\n${content}`);
  });

  test('links the URLs in its texts, such as that of a privacy policy', () => {
    const consent = 'I agree (see https://www.example.com/privacy?lang=en&x="><b>).';
    const markup = shown({ consent, intro: 'Read http://example.com/a. Then write, javascript:alert(1)' });
    expect(markup).toContain(
      '<a href="https://www.example.com/privacy?lang=en&amp;x=&quot;&gt;&lt;b&gt;" target="_blank">',
    );
    expect(markup).toContain('<a href="http://example.com/a" target="_blank">http://example.com/a</a>. Then');
    expect(markup.match(/<a href="(?!http|#)/)).toBeNull();
  });

  test('tells the script whether it has typed values, which drafts must not replace', () => {
    const has = (typed?: string) =>
      shown({}, typed === undefined ? {} : { typed: new URLSearchParams(typed) }).includes(' data-typed ');
    expect([has(), has(''), has('content=')]).toEqual([false, false, true]);
  });

  test('keeps everything typed', () => {
    const typed = new URLSearchParams({
      content: 'A "quoted" text',
      rating: '4',
      consent: 'yes',
      subject: 'x',
      'author.name': ' Ann ',
      'author.email': 'ann@',
      'author.role': 'R&D <lead>',
      'author.company': "O'Neill & Co",
    });
    const markup = shown({}, { typed });
    expect(contentOf(markup)).toBe('\nA "quoted" text');
    for (const name of ['author.name', 'author.email', 'author.role', 'author.company'])
      expect(typedIn(markup, name)).toBe(typed.get(name));
    expect(markup).toContain('value="4" checked>');
    expect(markup.match(/ checked/g)).toHaveLength(2);
    expect(markup).toMatch(/name="consent"[^>]* checked>/);
  });
});

describe('errors', () => {
  test.each([
    ['content', 'Short', 'must have 10 to 10,000 characters', 'Bitte schreiben Sie 10 bis 10.000 Zeichen.'],
    ['content', ' \n', 'must have 10 to 10,000 characters', 'Bitte beschreiben Sie Ihre Erfahrung.'],
    ['author.name', '', 'must have 1 to 200 characters', 'Bitte geben Sie Ihren Namen ein.'],
    ['author.email', '', 'is required', 'Bitte geben Sie Ihre E-Mail-Adresse ein.'],
    ['author.role', 'x', 'must have 1 to 200 characters', 'Bitte schreiben Sie 1 bis 200 Zeichen.'],
    [
      'author.email',
      'x',
      'must be a valid e-mail address',
      'Bitte geben Sie eine gültige E-Mail-Adresse ein.',
    ],
    ['consent', '', 'is required', 'Bitte stimmen Sie zu, damit wir Ihren Text veröffentlichen dürfen.'],
    ['content', 'x', 'must be valid Unicode', 'must be valid Unicode'],
    ['rating', '9', 'must be a whole number from 1 to 5', 'must be a whole number from 1 to 5'],
  ])('of %s (%j, “%s”) are at the field and above', (name, value, rule, expected) => {
    const typed = new URLSearchParams({ [name]: value });
    const markup = shown({ lang: 'de' }, { typed, errors: { [name]: rule }, notice: 'invalid' });
    expect(errorAt(markup, name)).toBe(expected);
    expect(markup).toMatch(new RegExp(`aria-describedby="[^"]*${name}-error" aria-invalid="true"`));
    expect(markup.match(/ aria-invalid/g)).toHaveLength(1);
    expect(markup).toContain(`id="${name}"`);
    expect(decode(summaryOf(markup))).toContain(`${expected}</a>`);
    expect(summaryOf(markup)).toContain(`<a href="#${name}">`);
  });

  test.each(['invalid', 'used', 'sendAgain', 'busy', 'full', 'failed', 'tooLarge', 'media'] as const)(
    'the notice “%s” is above and in the title',
    (notice) => {
      const texts = { ...en.form, ...en.media };
      const markup = shown({}, { notice });
      expect(summaryOf(markup)).toMatch(/^<section [^>]*role="alert"[^>]* tabindex="-1" autofocus>/);
      expect(summaryOf(markup)).toContain(texts[notice]);
      expect(markup).toContain(`<title>${texts[`${notice}Title`]} – Tell us how we did</title>`);
    },
  );

  test.each([
    [{}, 'Please press Send again'],
    [{ lang: 'fr' }, 'Veuillez appuyer encore une fois sur « Envoyer »'],
    [{ texts: '{"send":"Submit {constructor}"}' }, 'Please press Submit {constructor} again'],
  ])('of a hidden field that is filled ask with the words of the button (%j)', (settings, heading) => {
    const summary = summaryOf(shown(settings, { notice: 'filled' }));
    expect(decode(summary)).toContain(`${heading}</h2>`);
  });

  test('of missing fields name each field, and a text of the owner for all of them has the label before it', () => {
    const errors = { content: 'is required', 'author.name': 'is required', 'author.email': 'is required' };
    const lines = (texts: object) =>
      decode(summaryOf(shown({ texts: JSON.stringify(texts) }, { errors, notice: 'invalid' })))
        .match(/<a [^>]*>[^<]*/g)
        ?.map((link) => link.replace(/<[^>]*>/, ''));
    expect(lines({})).toEqual([
      'Please write your testimonial.',
      'Please enter your name.',
      'Please enter your e-mail address.',
    ]);
    expect(lines({ required: 'Missing', nameRequired: 'Who are you?' })).toEqual([
      'Your testimonial – Missing',
      'Who are you?',
      'Your e-mail address – Missing',
    ]);
  });

  test('without a notice nothing is above', () => {
    expect(summaryOf(shown())).toMatch(/^<section [^>]* hidden>/);
  });
});

describe('the page after sending', () => {
  test('has the text and nothing else', () => {
    expect(thanked()).toMatch(/<h1>Thank you<\/h1>\s*<p class="intro">Your testimonial has arrived\./);
    expect(thanked()).not.toMatch(/<a |<form/);
  });

  test('has the text and the link of the settings, with its own words or those of the language', () => {
    const markup = thanked({ thanks: 'Bis bald!', link: 'https://acme.example/?a=1&b="', lang: 'de' });
    expect(markup).toContain('Bis bald!</p>');
    expect(markup).toContain('href="https://acme.example/?a=1&amp;b=&quot;" target="_top">Weiter</a>');
    const text = { 'link-text': 'See <our> offers' };
    expect(thanked({ link: 'https://acme.example/', ...text })).toContain('>See &lt;our&gt; offers</a>');
    expect(thanked(text)).not.toMatch(/<a |offers/);
  });
});

describe('hostile text', () => {
  test.each(hostileTexts)('%j stays text', (text) => {
    const all = (each: string) => {
      const names = ['content', 'author.name', 'author.email', 'author.role', 'author.company', 'rating'];
      const typed = Object.fromEntries([...names, 'consent'].map((name) => [name, each]));
      const said = { name: each, send: each, restored: each, invalidTitle: each, required: each };
      const settings = { intro: each, consent: each, thanks: each, texts: JSON.stringify(said) };
      const page = { title: each, brand: { name: each }, key: each, notice: 'invalid' } as const;
      const sent = { typed: new URLSearchParams(typed), errors: { ...typed, key: each } };
      return [settings, { ...page, ...sent }] as const;
    };
    const markup = shown(...all(text));
    const harmless = all('harmless');
    expect(skeletonOf(markup)).toEqual(skeletonOf(shown(...harmless)));
    expect(skeletonOf(thanked(...all(text)))).toEqual(skeletonOf(thanked(...harmless)));
    expect(decode(/<h1>([^<]*)</.exec(markup)?.[1])).toBe(text);
    expect(contentOf(markup)).toBe(`\n${text}`);
    expect(typedIn(markup, 'author.name')).toBe(text);
    expect(errorAt(markup, 'content')).toBe(text);
  });

  test('as the name of an error stays text', () => {
    const errors = Object.fromEntries(hostileTexts.map((text) => [text, text]));
    expect(
      summaryOf(shown({}, { errors, notice: 'invalid' })).match(/<(?!\/?(section|h2|p|ul|li))/g),
    ).toBeNull();
  });
});

describe('a form that asks for media', () => {
  const asked = (ask: string, ...[settings, view]: Parameters<typeof viewOf>) =>
    shown({ ask, ...settings }, view);

  test.each([
    ['photo', ['photo'], 'my testimonial, my photo and the details'],
    ['video', ['video'], 'my testimonial, my recording and the details'],
    ['audio', ['audio'], 'my testimonial, my recording and the details'],
    ['photo,audio', ['photo', 'audio'], 'my testimonial, my photo, my recording and the details'],
  ])('for %s has its buttons, and names it in the consent', (ask, kinds, consent) => {
    const markup = asked(ask);
    const buttons = ['video', 'audio'].filter((each) => markup.includes(`class="record" data-is="${each}"`));
    const photo = markup.includes('<label class="photo') ? ['photo'] : [];
    expect([...photo, ...buttons]).toEqual(kinds);
    expect(markup).toContain(consent);
    // Without the script there are no buttons, and a file input without a name sends nothing.
    expect(markup.match(/type="file"(?![^>]* name=)/g)).toHaveLength(ask.includes(',') ? 2 : 1);
    expect(markup.match(/<button/g)).toHaveLength(2);
  });

  test.each(['de', 'fr', 'es', 'pt'])('in %s has a consent of its own, and one for each kind', (lang) => {
    const consents = ['', 'photo', 'video', 'photo,video'].map(
      (ask) => /<span>([^<]{60,})<\/span><\/label>/.exec(asked(ask, { lang }))?.[1],
    );
    expect(new Set(consents).size).toBe(4);
    expect(consents).not.toContain(undefined);
  });

  test('keeps the consent of its owner', () => {
    expect(asked('photo,video', { consent: 'Publish it.' })).toContain('<span>Publish it.</span>');
    expect(asked('photo', { texts: JSON.stringify({ consent: 'Yes.' }) })).toContain('<span>Yes.</span>');
  });

  test('shown again keeps what was uploaded with its key, and nothing else', () => {
    const typed = new URLSearchParams({ key: 'k'.repeat(22) });
    for (const value of ['recording', '"><script>', 'recording']) typed.append('media', value);
    const media = (markup: string) => markup.match(/name="media" value="[^"]*"/g);
    expect(media(asked('video', {}, { typed }))).toEqual(['name="media" value="recording"']);
    expect(media(asked('video', {}, { typed, key: 'z'.repeat(22) }))).toBeNull();
    expect(media(shown({}, { typed }))).toBeNull();
  });

  test.each([
    ['photo', 'img-src data:; form-action', 'camera=(), microphone=()'],
    ['audio', 'img-src data:; media-src blob:; form-action', 'camera=(), microphone=(self)'],
    ['photo,video', 'img-src data:; media-src blob:; form-action', 'camera=(self), microphone=(self)'],
  ])('for %s may do what it needs, and no more', (ask, policy, permissions) => {
    const { code, settings } = viewOf({ ask });
    const headers = mediaHeaders(code, settings, 'https://bucket.example.com');
    expect(headers['content-security-policy']).toContain("connect-src 'self' https://bucket.example.com;");
    expect(headers['content-security-policy']).toContain(policy);
    expect(headers['permissions-policy']).toBe(permissions);
  });

  test('does not differ from others where there are no media, and nothing of others changes', () => {
    const { settings, code } = viewOf({ ask: 'photo,video' });
    const view = viewOf({}, { settings: servedSettings(settings, false) });
    expect(String(formPage(view))).toBe(shown());
    expect(shown()).not.toMatch(/media|photo|record/i);
    expect(codeNameOf(view.settings)).toBe('form');
    expect(mediaHeaders(code, view.settings, 'https://bucket.example.com')).toEqual({});
    expect(mediaHeaders(code, settings, undefined)).toEqual({});
  });
});
