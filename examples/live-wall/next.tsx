/**
 * A wall in Next.js with your own markup: its HTML contains the texts, and it calls the service at most once a minute. It
 * needs neither a script nor a token.
 */
interface Testimonial {
  id: string;
  content: string;
  author: { name: string; role?: string; company?: string };
  rating?: number;
}

export default async function Testimonials({ page }: { page: string }) {
  const response = await fetch(`${process.env.TESTIMONIALS_URL}/w/${page}.json`, {
    next: { revalidate: 60 },
  });
  if (!response.ok) return null;
  const { testimonials }: { testimonials: Testimonial[] } = await response.json();
  return testimonials.map(({ id, content, author: { name, role, company } }) => (
    <figure key={id}>
      <blockquote>{content}</blockquote>
      <figcaption>{[name, role, company].filter(Boolean).join(', ')}</figcaption>
    </figure>
  ));
}
