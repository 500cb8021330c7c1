/** An explanation in words and figures, as it stands in its document. */
import type { ExpertRow, ExplainResult } from '../protocol.gen';
import { oneLine, quoted } from '../text/words';
import { joined, plural } from '../tree/nodes';

const LONGEST = 400;
const COLUMNS = 88;

const clipped = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
const figure = (value: number): string => String(Math.round(value * 1000) / 1000);

interface Item {
  readonly head: string;
  readonly why: string;
}

const items = (title: string, found: readonly Item[], none: string): string[] => [
  '',
  title,
  ...(found.length > 0
    ? found.flatMap(({ head, why }) => ['', `  ${head}`, wrapped(why, '    ')])
    : ['', `  ${none}`]),
];

/** A text on lines of so many columns, all indented alike. */
function wrapped(text: string, indent: string): string {
  const lines = [''];
  for (const word of oneLine(text).split(' ')) {
    const line = lines.at(-1) as string;
    if (line && indent.length + line.length + word.length >= COLUMNS) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.map((line) => indent + line).join('\n');
}

const factorsOf = (factors: Readonly<Record<string, number>>, between: string): string =>
  Object.entries(factors)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(between);

/** What became of everything that a text may bring in. */
export function explainedText(text: string, { entities, texts }: ExplainResult): string {
  const named = entities.map(
    ({ verdict, name, entity_id, strength, factors, why, collection }) => ({
      head: joined(verdict, `${oneLine(name)} (${entity_id})`, collection, figure(strength)),
      why: joined(why, factorsOf(factors, ' × ')),
    }),
  );
  const told = texts.map(({ verdict, kind, id, similarity, factors, why, collection }) => ({
    head: joined(verdict, `${kind} ${id}`, collection, figure(similarity)),
    why: joined(why, factorsOf(factors, ' + ')),
  }));
  return [
    'What this text brings in',
    '',
    wrapped(`“${clipped(oneLine(text))}”`, '  '),
    ...items('Entities', named, 'It names none.'),
    ...items('Claims and pages', told, 'None holds enough of it.'),
    '',
  ].join('\n');
}

/** Why an entity is in play, over all texts that count. */
export const explainedRow = (name: string, figures: string): string =>
  [
    `${oneLine(name)} is in play`,
    '',
    ...figures.split('; ').map((part) => wrapped(part, '  ')),
    '',
  ].join('\n');

/** Why an expert stands where it stands. */
export function explainedExpert(topic: string, row: ExpertRow): string {
  const head = [
    `${oneLine(row.name)} on ${quoted([topic])}`,
    '',
    `  score ${figure(row.score)}: ${plural(row.claim_count, 'claim')}, ${plural(row.citation_count, 'citation')}`,
  ];
  const { explain } = row;
  if (!explain) return [...head, ''].join('\n');
  const claims = explain.claims.map(({ claim_id, contribution, factors, matched, arm, link }) => ({
    head: joined(claim_id, figure(contribution)),
    why: joined(
      factorsOf(factors, ' × '),
      arm === 'entity'
        ? 'the topic names an entity of it'
        : `holds ${matched.map((word) => `“${word}”`).join(', ')}`,
      LINKS[link],
    ),
  }));
  return [
    ...head,
    wrapped(`${explain.weight}: ${explain.formula}`, '  '),
    `  ${factorsOf(explain.factors, ', ')}`,
    ...items('The claims that add most', claims, 'There are none.'),
    '',
  ].join('\n');
}

const LINKS = {
  declared: 'declares the entity',
  named: 'names the entity',
  page: 'stands on a page of the entity',
  derived: 'holds the topic',
} as const;
