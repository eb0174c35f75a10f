/**
 * `npm run test:explore -- --mutants`: takes each rule of docs/protocol.md out of a copy of the code, and explores that.
 * MUTANT_SECONDS are for each. Prints what was found, after how many schedules, and what was not.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pMap from 'p-map';

const run = promisify(execFile);

interface Mutant {
  rule: number;
  /** What is taken out. */
  without: string;
  /** The name of one in which that matters. */
  scenario: string;
  /** Of a file, what is replaced by what. */
  edits: [file: string, from: string, to: string][];
}

const write = 'functions/list-index/write';
const read = 'functions/list-index/read';
const memory = 'test/world/in-memory-backend.ts';

export const mutants: Mutant[] = [
  {
    rule: 2,
    without: 'a fold passes a free place without taking it',
    scenario: 'create, create, fold',
    edits: [
      [
        `${write}/fold-step.ts`,
        'await testimonials.sealPlace(organization, place)',
        'await testimonials.find(organization, place)',
      ],
    ],
  },
  {
    rule: 3,
    without: 'the marker comes after the change',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        'functions/operations/change-testimonial.ts',
        '    await testimonials.putChangeMarker(organization, { ...places, ordinal, version, time, ...formerTags });\n',
        '',
      ],
      [
        'functions/operations/change-testimonial.ts',
        'if (await testimonials.replace(organization, previous, stored)) {',
        'const isDone = await testimonials.replace(organization, previous, stored);\n    await testimonials.putChangeMarker(organization, { ...places, ordinal, version, time, ...formerTags });\n    if (isDone) {',
      ],
    ],
  },
  {
    rule: 4,
    without: 'a fold does not raise the version',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        `${write}/fold-decisions.ts`,
        "  if (markers.some(({ version }) => stored.version <= version)) return { do: 'seal' };\n",
        '',
      ],
    ],
  },
  {
    rule: 4,
    without: 'a change is made of any version',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        memory,
        'if (rowAt(organization, previous.ordinal)?.version !== previous.version) return false;',
        'if (!rowAt(organization, previous.ordinal)) return false;',
      ],
    ],
  },
  {
    rule: 6,
    without: 'other statuses are not cleared on the axis of creation',
    scenario: 'change a pending, fold, fold',
    edits: [[`${write}/posting-edits.ts`, "outOf: notIn(created, 'createdAt', tags)", 'outOf: []']],
  },
  {
    rule: 6,
    without: 'other statuses are not cleared on the axis of updates',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        `${write}/posting-edits.ts`,
        "const others = notIn(updated, 'updatedAt', tags);",
        'const others: PostingTerm[] = [];',
      ],
    ],
  },
  {
    rule: 6,
    without: 'the places that markers name are not cleared',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        `${write}/posting-edits.ts`,
        'const former of new Set(updates))',
        'const former of new Set<number>())',
      ],
    ],
  },
  {
    rule: 6,
    without: 'the tags that markers name are not cleared on the axis of creation',
    scenario: 'tag a yak, untag a yak, fold, fold, after a fold',
    edits: [
      [`${write}/posting-edits.ts`, "notIn(created, 'createdAt', tags)", "notIn(created, 'createdAt')"],
    ],
  },
  {
    rule: 6,
    without: 'the tags that markers name are not cleared on the axis of updates',
    scenario: 'tag a yak, untag a yak, fold, fold, after a fold',
    edits: [
      [`${write}/posting-edits.ts`, "notIn(updated, 'updatedAt', tags)", "notIn(updated, 'updatedAt')"],
    ],
  },
  {
    rule: 6,
    without: 'the marker does not keep the tags before',
    scenario: 'untag a ux, fold, fold',
    edits: [
      [
        'functions/operations/change-testimonial.ts',
        '{ formerTags: testimonial.tags }',
        '{ formerTags: next.tags ?? [] }',
      ],
    ],
  },
  {
    rule: 7,
    without: 'a list goes on that met a higher epoch',
    scenario: 'change a pending, fold, lists',
    edits: [[`${read}/what-is-new.ts`, 'newestStep() <= headNow.epoch', 'newestStep() >= 0']],
  },
  {
    rule: 7,
    without: 'the epoch is in the head only after the writes',
    scenario: 'change a pending, fold, lists',
    edits: [
      [
        `${write}/fold.ts`,
        'await replaceHead(index, organization, { ...before, epoch: before.epoch + 1, reach, terms })',
        '{ ...before, epoch: before.epoch + 1, reach, terms }',
      ],
    ],
  },
  {
    rule: 8,
    without: 'a posting refuses no lower epoch',
    scenario: 'change a pending, fold, fold',
    edits: [
      [memory, 'epoch === undefined ? isThere : epoch > posting.epoch', 'epoch === undefined && isThere'],
    ],
  },
  {
    rule: 9,
    without: 'what is right already is not written',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        `${write}/posting-edits.ts`,
        'bytes ? before?.epoch === epoch && Buffer.compare(before.bytes, bytes) === 0',
        'bytes ? before !== undefined && Buffer.compare(before.bytes, bytes) === 0',
      ],
    ],
  },
  {
    rule: 10,
    without: 'all steps of a fold have one epoch',
    scenario: 'fold, change a rejected, change b approved, fold of 1 writePosting twice, arrive',
    edits: [
      [`${write}/fold.ts`, '  until?: number;\n', '  until?: number;\n  steps?: number;\n'],
      [`${write}/fold.ts`, 'head, step, time);', 'head, step, time, report.steps);'],
      [`${write}/fold.ts`, '  time: number,\n', '  time: number,\n  steps = 0,\n'],
      [
        `${write}/fold.ts`,
        'epoch: before.epoch + 1, reach, terms }',
        'epoch: before.epoch + (steps === 0 ? 1 : 0), reach, terms }',
      ],
    ],
  },
  {
    rule: 10,
    without: 'all steps of a rebuild have one epoch',
    scenario: 'change a pending, rebuild of 10 bits writePosting twice, fold, arrive, after a fold',
    edits: [[`${write}/rebuild.ts`, 'indexed, updated, epoch: epoch + 1 }', 'indexed, updated, epoch }']],
  },
  {
    rule: 11,
    without: 'a summary is written whatever its version',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        memory,
        'if ((postingAt(organization, generation, ref)?.epoch ?? 0) !== posting.epoch - 1) return false;',
        '',
      ],
    ],
  },
  {
    rule: 11,
    without: 'a summary that is right is not written',
    scenario: 'change a rejected, change a approved, fold, fold, after a fold',
    edits: [
      [
        `${write}/renew-summaries.ts`,
        '      if (await index.replacePosting',
        '      if (before && Buffer.compare(before.bytes, next.bytes) === 0) return;\n      if (await index.replacePosting',
      ],
    ],
  },
  {
    rule: 12,
    without: 'chunks are counted only where a bit changed',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        `${write}/posting-edits.ts`,
        '  #highestUpdate = 0;\n',
        '  #highestUpdate = 0;\n  readonly changed = new Set<string>();\n',
      ],
      [
        `${write}/posting-edits.ts`,
        'const changes = batch.flatMap((edit, i) => changeOf(before[i], edit, epoch));',
        "const changes = batch.flatMap((edit, i) => changeOf(before[i], edit, epoch));\n    for (const [i, edit] of batch.entries()) {\n      const { posting, chunk } = edit.ref;\n      if (posting.kind !== 'facet') continue;\n      const [was, will] = [before[i]?.bytes, editedBits(before[i], edit)];\n      if (!was || !will || Buffer.compare(was, will) !== 0) edits.changed.add([posting.axis, chunk].join());\n    }",
      ],
      [
        `${write}/fold.ts`,
        'edits.chunks)',
        'edits.chunks.filter(({ axis, chunk }) => edits.changed.has([axis, chunk].join())))',
      ],
    ],
  },
  {
    rule: 13,
    without: 'a fold replaces the head of any revision',
    scenario: 'change a pending, fold, fold',
    edits: [
      [
        `${write}/fold.ts`,
        'const head = await index.replaceHead(organization, next);',
        'const there = await index.readHead(organization);\n  const head = await index.replaceHead(organization, { ...next, revision: there?.revision ?? 0 });',
      ],
    ],
  },
  {
    rule: 14,
    without: 'all markers below the highest covered one count as covered',
    scenario: 'change a rejected, change b approved, fold, lists, after a fold',
    edits: [
      [
        'functions/list-index/index-store.ts',
        'return new Set(covered.flatMap(({ updateOrdinals }) => updateOrdinals));',
        'const highest = Math.max(0, ...covered.flatMap(({ updateOrdinals }) => updateOrdinals));\n  return new Set(Array.from({ length: 20 }, (_, i) => highest - i));',
      ],
    ],
  },
  {
    rule: 15,
    without: 'a covered marker is deleted at once',
    scenario: 'change a pending, fold, lists',
    edits: [[`${write}/fold.ts`, 'time - seenAt >= forgetAfterMs', 'time - seenAt >= 0']],
  },
  {
    rule: 15,
    without: 'a covered marker counts as seen from before its commit',
    scenario: 'fold, wait 16 s, lists',
    edits: [
      [`${write}/fold.ts`, '[{ updateOrdinals: covered }]', '[{ updateOrdinals: covered, seenAt: time }]'],
    ],
  },
  {
    rule: 15,
    without: 'a list that took longer is not thrown away',
    scenario: 'fold, fold, wait 16 s, lists',
    edits: [
      [`${read}/time-limit.ts`, 'if (clock() - begun > requestTimeoutMs) tries += 1;\n    else if', 'if'],
    ],
  },
  {
    rule: 16,
    without: 'a list passes over what the head covers as it is now',
    scenario: 'change a pending, fold, lists',
    edits: [
      [`${read}/what-is-new.ts`, 'uncoveredMarkers(head, recent)', 'uncoveredMarkers(headNow, recent)'],
    ],
  },
  {
    rule: 17,
    without: 'nothing is masked on the axis of creation',
    scenario: 'change a pending, fold, lists',
    edits: [[`${read}/correction.ts`, 'return markers.map(({ ordinal }) => ordinal);', 'return [];']],
  },
  {
    rule: 17,
    without: 'the places of rows are not masked on the axis of updates',
    scenario: 'change b approved, fold, lists',
    edits: [[`${read}/correction.ts`, '[...markers, ...rows].flatMap', '[...markers].flatMap']],
  },
  {
    rule: 17,
    without: 'the places of markers are not masked on the axis of updates',
    scenario: 'change a pending, fold, lists',
    edits: [[`${read}/correction.ts`, '[...markers, ...rows].flatMap', '[...rows].flatMap']],
  },
  {
    rule: 17,
    without: 'the place before is not masked',
    scenario: 'change a pending, fold, lists',
    edits: [
      [`${read}/correction.ts`, '    updateOrdinal,\n    previousUpdateOrdinal,\n', '    updateOrdinal,\n'],
    ],
  },
  {
    rule: 17,
    without: 'bits count from `indexed` on',
    scenario: 'change b approved, fold, lists',
    edits: [[`${read}/correction.ts`, "this.#end = axis === 'createdAt' ? indexed :", 'this.#end =']],
  },
  {
    rule: 18,
    without: 'a chunk with something of the tail is counted by its summary',
    scenario: 'create, fold, fold',
    edits: [
      [
        `${read}/correction.ts`,
        'const maybeInBits = isTailApart ? changed : rows;',
        'const maybeInBits = changed;',
      ],
    ],
  },
  {
    rule: 18,
    without: 'a step does not say how far it is going to write',
    scenario: 'create, fold, fold',
    edits: [
      [`${write}/fold.ts`, 'epoch: before.epoch + 1, reach, terms }', 'epoch: before.epoch + 1, terms }'],
    ],
  },
  {
    rule: 18,
    without: 'a chunk with a masked place is counted by its summary',
    scenario: 'change a pending, fold, lists',
    edits: [
      [
        `${read}/correction.ts`,
        '...Bitmap.of(numbersOf(axis, changes, maybeInBits)).chunkNumbers(),',
        '...[changes].flatMap(() => []),',
      ],
    ],
  },
  {
    rule: 19,
    without: 'a row that is read again is not judged',
    scenario: 'change a pending, fold, lists',
    edits: [[`${read}/rows.ts`, 'rows.get(ordinal) ?? []).filter(isAsked)', 'rows.get(ordinal) ?? [])']],
  },
  {
    rule: 20,
    without: 'a list goes on that met another generation',
    scenario: 'change a pending, rebuild, fold, wait 16 s, fold',
    edits: [[`${read}/what-is-new.ts`, 'headNow.generation === head.generation && ', '']],
  },
  {
    rule: 21,
    without: 'an old generation is deleted at once',
    scenario: 'rebuild, fold, lists, after a fold',
    edits: [[`${write}/fold.ts`, 'replaced !== undefined && isDue(replaced)', 'replaced !== undefined']],
  },
  {
    rule: 22,
    without: 'a rebuild takes the tail, too',
    scenario: 'create, create, rebuild, after a fold',
    edits: [
      [
        `${write}/rebuild.ts`,
        'const rest = page.filter(({ ordinal }) => ordinal < to);',
        'const rest = page;\n      indexed = Math.max(indexed, (page.at(-1)?.ordinal ?? 0) + 1);',
      ],
    ],
  },
  {
    rule: 23,
    without: 'markers are deleted while a rebuild runs',
    scenario: 'change a pending, rebuild, fold, wait 16 s, fold',
    edits: [[`${write}/fold.ts`, 'building ? [] : covered.filter(isDue)', 'covered.filter(isDue)']],
  },
  {
    rule: 23,
    without: 'markers count as covered after the switch',
    scenario: 'change a pending, rebuild, fold, wait 16 s, fold',
    edits: [[`${write}/rebuild.ts`, 'covered: [],', 'covered: rest.covered,']],
  },
  {
    rule: 24,
    without: 'a rebuild switches that is not named in the head',
    scenario: 'change a pending, rebuild, rebuild, wait 120 s, fold',
    edits: [
      [
        `${write}/rebuild.ts`,
        '      if (generation !== this.#mine?.generation || epoch !== this.#mine?.epoch)\n        throw new RebuildSuperseded(this.#organization);\n',
        '      if (generation === -1 && epoch === -1) throw new RebuildSuperseded(this.#organization);\n',
      ],
    ],
  },
  {
    rule: 24,
    without: 'a rebuild of another is taken though it shows life',
    scenario: 'change a pending, rebuild, rebuild, wait 120 s, fold',
    edits: [
      [
        `${write}/rebuild.ts`,
        '!isMine && there.until > now',
        '!isMine && there.until > Number.POSITIVE_INFINITY',
      ],
    ],
  },
  {
    rule: 25,
    without: 'the epoch of the head does not follow that of the rebuild',
    scenario: 'change a pending, rebuild of 10 bits writePosting twice, fold, arrive, after a fold',
    edits: [[`${write}/rebuild.ts`, 'epoch: Math.max(rest.epoch, epoch),', 'epoch: rest.epoch,']],
  },
  {
    rule: 27,
    without: 'the marker has no texts',
    scenario: 'erase a, fold, fold',
    edits: [
      [
        'functions/operations/erase-testimonial.ts',
        'time, erases }',
        "time, erases: { content: '', author: { name: '' } } }",
      ],
    ],
  },
  {
    rule: 27,
    without: 'a fold looks for texts only among the markers that it took',
    scenario: 'change a rejected, erase a, fold',
    edits: [
      [
        `${write}/fold-step.ts`,
        'of eachOf(testimonials.changeMarkers(organization))',
        'of [...markers.taken.values()].flat()',
      ],
    ],
  },
  {
    rule: 28,
    without: 'an erased testimonial is not cleared in every status',
    scenario: 'erase a, fold, fold',
    edits: [
      [
        'functions/list-index/index-terms.ts',
        'new Set([...commonFacets, ...(texts',
        "new Set([...commonFacets.filter((term) => !term.includes('approved')), ...(texts",
      ],
    ],
  },
  {
    rule: 29,
    without: 'a posting is deleted by any epoch',
    scenario: 'create, erase c, fold, fold, after a fold',
    edits: [
      [memory, 'if ((postingAt(organization, generation, ref)?.epoch ?? 0) > epoch) return false;', ''],
    ],
  },
  {
    rule: 29,
    without: 'a posting that was read is written though it is gone',
    scenario: 'erase a, erase b, fold, fold',
    edits: [
      [
        memory,
        'epoch === undefined ? isThere : epoch > posting.epoch',
        'epoch !== undefined && epoch > posting.epoch',
      ],
    ],
  },
  {
    rule: 30,
    without: 'a list by bits asks for no common facet',
    scenario: 'erase c, fold, fold',
    edits: [
      [
        'functions/operations/list-testimonials.ts',
        'head.hasErased ? withLastingPostings(planned) : planned',
        'head.hasErased && planned.allOf.length > 99 ? withLastingPostings(planned) : planned',
      ],
    ],
  },
  {
    rule: 30,
    without: 'a list by a head from before the first erasure goes on',
    scenario: 'erase c, fold, fold',
    edits: [[`${read}/what-is-new.ts`, 'head.hasErased || !headNow.hasErased', 'head.generation > 0']],
  },
];

/** The code without a rule, in a folder of its own. */
function mutated({ edits }: Mutant): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'explore-'));
  for (const part of ['functions', 'test/world', 'test/explore', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, from, to] of edits) {
    const text = readFileSync(join(folder, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`);
    writeFileSync(
      join(folder, file),
      text.replace(from, () => to),
    );
  }
  return folder;
}

/** Explores one; returns after how many schedules something was wrong, and what. */
async function exploreMutant(mutant: Mutant): Promise<{ schedules?: string | undefined; found: string }> {
  const folder = mutated(mutant);
  const seconds = process.env.MUTANT_SECONDS ?? '300';
  const env = {
    ...process.env,
    EXPLORE_SECONDS: seconds,
    EXPLORE_WORKERS: '1',
    EXPLORE_ONLY: mutant.scenario,
  };
  const { stdout } = await run(process.execPath, [join(folder, 'test/explore/explore.ts')], {
    env,
    timeout: (Number(seconds) + 60) * 1000,
  }).catch((error: { code: unknown; killed: boolean; stdout: string }) => {
    if (error.killed) return { stdout: 'found after 0 schedules: it goes in circles' };
    // It says that something was found.
    if (error.code === 1 && error.stdout.includes('found after')) return error;
    throw error;
  });
  rmSync(folder, { recursive: true });
  if (stdout.startsWith('0 ')) throw new Error(`No scenario is called ${mutant.scenario}`);
  const [found = '', schedules] = /^found after (\d+) schedules.*/ms.exec(stdout) ?? [];
  return { schedules, found };
}

/** @param only the rule whose mutants are explored; all when absent */
export async function exploreMutants(only?: number): Promise<void> {
  console.log('| Rule | Without it | Scenario | Found after |\n|--:|---|---|--:|');
  const chosen = mutants.filter(({ rule }) => only === undefined || rule === only);
  await pMap(
    chosen,
    async (mutant) => {
      const { schedules = 'nothing was found', found } = await exploreMutant(mutant);
      console.log(`| ${mutant.rule} | ${mutant.without} | ${mutant.scenario} | ${schedules} |`);
      if (process.env.MUTANT_TRACES) console.log(found.slice(0, 1500));
    },
    { concurrency: availableParallelism() },
  );
}
