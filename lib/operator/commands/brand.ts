/** The command `organization brand`. */
import type { Command } from 'commander';
import type { Brand } from '../../../functions/domain/brand.ts';
import { readBrand, readLogo } from '../../../functions/domain/read-brand.ts';
import type { CommandContext } from '../command-context.ts';
import { readWhole } from '../files/whole-file.ts';
import { columns, joined, oneLine } from '../terminal/formatting.ts';

interface BrandOptions {
  name?: string;
  accent?: string;
  logo?: string;
}

export function addBrandCommand(organizations: Command, { organizationCommand }: CommandContext): void {
  organizationCommand(organizations, 'organization brand')
    .option('--name <name>', 'the name above forms and walls')
    .option('--accent <color>', 'the color of buttons and links, such as #2a56c6')
    .option('--logo <file>', 'a PNG, JPEG or WebP file of at most 24 KB')
    .run(async (session, typed: BrandOptions) => {
      const { organization, pages, show } = session;
      const isChanged = [typed.name, typed.accent, typed.logo].some((each) => each !== undefined);
      await (isChanged ? session.refuseUnknown() : session.warnOfUnknown());
      const current = await pages.findBrand(organization);
      const brand = isChanged ? await changed(current, typed) : current;
      if (isChanged) await pages.saveBrand(organization, brand);
      const note = isChanged && 'Visitors see it within two minutes.';
      show(brand, () => joined([brandText(brand), note]));
    });
}

async function changed({ name = '', accent, logo }: Brand, typed: BrandOptions): Promise<Brand> {
  const file =
    typed.logo === undefined || typed.logo === '' ? undefined : readLogo((await readWhole(typed.logo)).bytes);
  const kept = typed.logo === undefined ? logo : file;
  return readBrand({
    name: typed.name ?? name,
    accent: typed.accent ?? accent?.chosen ?? '',
    ...(kept && { logo: kept }),
  });
}

function brandText({ name, accent, logo }: Brand): string {
  const rows = [
    ['name', name === undefined ? 'none' : oneLine(name)],
    ['accent', accent ? accentText(accent) : 'default'],
    ['logo', logo ? `${logo.type}, ${logo.width} × ${logo.height} pixels` : 'none'],
  ];
  return columns(rows);
}

function accentText({ chosen, light, dark }: NonNullable<Brand['accent']>): string {
  if (light === chosen && dark === chosen) return chosen;
  return `${chosen}; to keep texts readable, light pages use ${light} and dark pages ${dark}`;
}
