/** Creates a testimonial and lists it, by the typed client. */
import { create, list } from './client.ts';

const author = { name: 'Jo', email: 'jo@example.com' };
const { id } = await create({ content: 'A client that knows its types', author, type: 'text' });
console.log('created', id);
for await (const { content, status } of list({ search: 'knows types' })) console.log(status, content);
