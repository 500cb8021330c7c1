/** An explanation in words and figures, as it stands in its document. */
import type { ExpertRow, ExplainResult } from '../protocol.gen';
import { joined, oneLine, plural, quoted } from '../text/words';

const LONGEST = 400;

const figure = (value: number): string => String(Math.round(value * 1000) / 1000);

const factorsOf = (factors: Readonly<Record<string, number>>, between: string): string =>
  Object.entries(factors)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(between);

/** A heading and what stands below it, each row with its reason. */
const section = (title: string, rows: readonly (readonly string[])[], none: string): string[] => [
  '',
  title,
  ...(rows.length > 0
    ? rows.flatMap(([row, why]) => ['', `  ${row}`, `    ${why}`])
    : ['', `  ${none}`]),
];

/** What became of everything that a text may bring in. */
export function explainedText(text: string, { entities, texts }: ExplainResult): string {
  const entityRows = entities.map((row) => [
    joined(
      row.verdict,
      `${oneLine(row.name)} (${row.entity_id})`,
      row.collection,
      figure(row.strength),
    ),
    joined(row.why, factorsOf(row.factors, ' × ')),
  ]);
  const textRows = texts.map((row) => [
    joined(row.verdict, `${row.kind} ${row.id}`, row.collection, figure(row.similarity)),
    joined(row.why, factorsOf(row.factors, ' + ')),
  ]);
  const lines = [
    'What this text brings in',
    '',
    `  ${quoted([text.slice(0, LONGEST)])}`,
    ...section('Entities', entityRows, 'It names none.'),
    ...section('Claims and pages', textRows, 'None holds enough of it.'),
  ];
  return `${lines.join('\n')}\n`;
}

/** Why an entity is in play, over all texts that count. */
export const explainedRow = (name: string, figures: string): string =>
  `${oneLine(name)} is in play\n\n  ${figures.replaceAll('; ', '\n  ')}\n`;

/** Why an expert stands where it stands. */
export function explainedExpert(topic: string, row: ExpertRow): string {
  const counts = `${plural(row.claim_count, 'claim')}, ${plural(row.citation_count, 'citation')}`;
  const { explain } = row;
  const claimRows = explain?.claims.map((claim) => [
    joined(claim.claim_id, figure(claim.contribution)),
    joined(
      factorsOf(claim.factors, ' × '),
      claim.arm === 'entity' ? 'the topic names an entity of it' : `holds ${quoted(claim.matched)}`,
      `linked: ${claim.link}`,
    ),
  ]);
  const lines = [
    `${oneLine(row.name)} on ${quoted([topic])}`,
    '',
    `  score ${figure(row.score)}: ${counts}`,
    ...(explain ? [`  ${explain.weight}: ${explain.formula}`] : []),
    ...(explain ? [`  ${factorsOf(explain.factors, ', ')}`] : []),
    ...section('The claims that add most', claimRows ?? [], 'There are none.'),
  ];
  return `${lines.join('\n')}\n`;
}
