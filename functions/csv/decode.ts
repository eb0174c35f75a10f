/** Decodes text files of any program. */

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Decodes UTF-8, UTF-16 and Windows-1252, with or without a byte order mark. Every line of the result ends
 * with a newline.
 * @throws when the encoding is unknown, since the texts would be garbled
 */
export function decodeText(bytes: Bytes, file: string): { text: string; notes: string[] } {
  const encoding = encodingOf(bytes);
  if (!encoding)
    throw new Error(
      `Line ${firstInvalidLine(bytes)} of ${file} is not UTF-8. Save the file as UTF-8 and import it again.`,
    );
  const text = new TextDecoder(encoding).decode(bytes);
  return {
    text: text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text,
    notes: encoding === 'windows-1252' ? ['The encoding is Windows-1252: check the accents.'] : [],
  };
}

// Letters beyond ASCII in UTF-8.
const letters = /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}/g;

function encodingOf(bytes: Bytes): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // UTF-16 puts a zero next to each ASCII letter of the header.
  const zeros = [0, 1].map(
    (half) => bytes.subarray(0, 100).filter((byte, i) => byte === 0 && i % 2 === half).length,
  );
  const most = Math.max(...zeros);
  if (most >= 10) return zeros[0] === most ? 'utf-16be' : 'utf-16le';
  if (isUtf8(bytes)) return 'utf-8';
  const text = latin1(bytes);
  const utf8Letters = text.match(letters)?.length ?? 0;
  const otherLetters = text.replace(letters, '').match(/[\x80-\xFF]/g)?.length ?? 0;
  // In western languages, letters beyond ASCII rarely follow each other. Three in a row mean another
  // alphabet.
  const isOther =
    /[\xC0-\xFF]{3}/.test(text) || /[\p{Cc}--[\t\n\r]]/v.test(new TextDecoder('windows-1252').decode(bytes));
  return isOther || utf8Letters >= otherLetters ? undefined : 'windows-1252';
}

function isUtf8(bytes: Bytes): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

// A call takes a limited number of arguments.
const lettersAtOnce = 10_000;

/** Returns a letter for each byte. A `TextDecoder` of Latin-1 reads Windows-1252. */
function latin1(bytes: Bytes): string {
  const parts = Array.from({ length: Math.ceil(bytes.length / lettersAtOnce) }, (_, i) =>
    String.fromCharCode(...bytes.subarray(i * lettersAtOnce, (i + 1) * lettersAtOnce)),
  );
  return parts.join('');
}

const newline = 10;

function firstInvalidLine(bytes: Bytes): number {
  let line = 1;
  for (let begin = 0; begin < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, begin) + 1 || bytes.length;
    if (!isUtf8(bytes.subarray(begin, end))) return line;
    begin = end;
  }
  return line;
}

// Emoji and other signs do not count, because people also add them to garbled texts.
const beyondAscii = /(?:(?!\u200D|\uFE0F|[\u2190-\u2BFF\u{1F000}-\u{1FAFF}])[^\0-\x7f])+/gu;

/** Returns the bytes of the letters of Windows-1252, and of Latin-1 where they differ. */
function bytesByLetter(): Map<string, number> {
  return new Map(
    Array.from({ length: 256 }, (_, byte): [string, number][] => [
      [String.fromCharCode(byte), byte],
      [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte],
    ]).flat(),
  );
}

/** Returns the correct form of the first letter, sign or emoji that looks misread. */
export function correctLetterIn(texts: readonly string[]): string | undefined {
  const byteOf = bytesByLetter();
  const lettersOfBytes = (from: number) =>
    [...byteOf].flatMap(([letter, byte]) => (byte >= from && byte < 0xc0 ? [letter] : [])).join('');
  const later = `[${lettersOfBytes(0x80)}]`;
  const misread = new RegExp(`Â[${lettersOfBytes(0xa0)}]|Ã${later}|â${later}{2}|ð${later}{3}`, 'u');
  const [original] = texts.values().flatMap((text) => misread.exec(text) ?? []);
  return original === undefined ? undefined : readAgain([original], byteOf)?.[0];
}

// A text that was garbled more often is beyond repair.
const maxMisread = 3;

/**
 * Returns the texts of a file whose UTF-8 was read as Latin-1 or Windows-1252 and written again, once or
 * several times: `TrÃ¨s` is `Très`. Returns undefined if any text of the file contradicts that.
 */
export function correctedTexts(texts: readonly string[]): string[] | undefined {
  const byteOf = bytesByLetter();
  let found: string[] | undefined;
  for (let times = 0; times < maxMisread; times += 1) {
    const once = readAgain(found ?? texts, byteOf);
    if (!once) break;
    found = once;
  }
  return found?.map((text) => text.replace(/^\uFEFF/, ''));
}

function readAgain(texts: readonly string[], byteOf: ReadonlyMap<string, number>): string[] | undefined {
  const decoded = new Map<string, string>();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (const text of texts) {
    for (const [letters] of text.matchAll(beyondAscii)) {
      if (decoded.has(letters)) continue;
      const bytes = Array.from(letters, (letter) => byteOf.get(letter) ?? -1);
      if (bytes.includes(-1)) return undefined;
      try {
        decoded.set(letters, decoder.decode(Uint8Array.from(bytes)));
      } catch {
        return undefined;
      }
    }
  }
  if (decoded.size === 0) return undefined;
  return texts.map((text) => text.replace(beyondAscii, (letters) => decoded.get(letters) ?? letters));
}
