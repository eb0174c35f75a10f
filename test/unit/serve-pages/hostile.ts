/** Texts that attack a page that shows them. */

import * as v from 'valibot';
import { type Testimonial, testimonial } from '../../../functions/domain/testimonial.ts';

/** Each runs, loads or rearranges something if a page does not treat it as text. */
export const hostileTexts = [
  '<script>globalThis.wasRun = true</script>',
  '<img src=x onerror="globalThis.wasRun = true">',
  '"><svg onload=globalThis.wasRun=true>',
  `' onmouseover='globalThis.wasRun=true' style='position:fixed;inset:0`,
  '</script><script>globalThis.wasRun = true</script>',
  '<!--<script>',
  ']]></template></ul></main><h1>mine</h1>',
  'javascript:globalThis.wasRun=true',
  'line\u2028separator\u2029paragraph',
  '\u202Egnp.exe\u202D and \u2066never closed',
  'שלום, a right-to-left text with (brackets)',
  '&lt;b&gt;&amp;amp; \\u003c \\" {{wasRun}}',
  `${'wide'.repeat(80)} Zalgo${'\u0301\u0328\u0336'.repeat(20)}`,
];

/** Returns an approved testimonial with a hostile text in every text field. */
export function hostileTestimonial(text: string, i: number): Testimonial {
  const day = new Date(Date.UTC(2026, 0, 1 + i)).toISOString();
  const cut = Array.from(text).slice(0, 50).join('').replaceAll(',', ';').trim();
  return v.parse(testimonial, {
    id: `test_10000000000${i}`,
    content: `What they wrote: ${text}`,
    author: {
      name: text.slice(0, 200),
      email: `hostile${i}@example.com`,
      role: text.slice(0, 200),
      company: text.slice(0, 200),
    },
    ...(i % 3 > 0 && { rating: 1 + (i % 5) }),
    type: 'text',
    status: 'approved',
    tags: [cut],
    createdAt: day,
    updatedAt: day,
  });
}
