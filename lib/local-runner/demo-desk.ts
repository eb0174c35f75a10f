/** The desk of the local service, so that whoever tries it can moderate at once. */
import { randomInt } from 'node:crypto';
import { createTestimonial } from '../../functions/operations/create-testimonial.ts';
import { inviteAgain, invitePerson } from '../../functions/operations/desk-people.ts';
import { deskStore } from '../../functions/persistence/dynamodb-desk-store.ts';
import { idempotencyKeyStore } from '../../functions/persistence/dynamodb-idempotency-key-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { withTable } from './connection.ts';

const organization = 'demo';

const samples = [
  { name: 'Jane Doe', content: 'Amazing product! It saved our team two days a week.', rating: 5 },
  { name: 'Max Muster', content: 'Set up in an afternoon, and support answers within the hour.', rating: 4 },
  { name: 'Ana Silva', content: 'Good, but I am still waiting for the export to my calendar.', rating: 3 },
];

/**
 * Invites somebody to moderate the organization `demo`, whom a start before has invited or a new person. The organization gets three
 * testimonials where it has none.
 * @returns the secret of the invitation
 */
export async function demoInvitation(endpoint: string): Promise<string> {
  return withTable(endpoint, async (table) => {
    await fillIfEmpty(table);
    const deps = { desks: deskStore(table), now: table.now, randomInt };
    const [known] = await deps.desks.listPeople(organization);
    if (known) return inviteAgain(deps, known);
    return (await invitePerson(deps, { organization, name: 'You', mayErase: true })).secret;
  });
}

async function fillIfEmpty(table: Table): Promise<void> {
  const testimonials = testimonialStore(table);
  if (await testimonials.counted(organization)) return;
  const deps = { testimonials, idempotencyKeys: idempotencyKeyStore(table), now: table.now, randomInt };
  for (const { name, ...sample } of samples) {
    const author = { name, email: `${name.split(' ')[0]?.toLowerCase()}@example.com` };
    await createTestimonial(deps, { organization, input: { ...sample, author, type: 'text' } });
  }
}
