/** A live wall in React 19. Copy it and `embed.d.ts`, and write your service's URL and the snippet's height into it. */
import type { CSSProperties, ReactNode } from 'react';
import type { WallAttributes } from './embed';

type Props = WallAttributes & { style?: CSSProperties; children?: ReactNode };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'testimonials-wall': Props;
    }
  }
}

export function Testimonials({ page }: { page: string }) {
  return (
    <>
      <script type="module" async src="https://api.example.com/embed.js" />
      <testimonials-wall page={page} style={{ display: 'block', width: '100%', minHeight: '380px' }} />
    </>
  );
}
