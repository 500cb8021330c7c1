/** What tools answer a language model, in a few readable lines. */
import type { ContextResult, ExpertsResult, SalienceResult } from '../protocol.gen';
import { plural } from '../tree/nodes';

const LONGEST = 160;
const UNSAFE = /[\s\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu;

/** Text of the knowledge base or of a model: it stays on its line and opens no markup. */
export function harmless(text: string): string {
  const line = text.replaceAll(UNSAFE, ' ').replaceAll('<', '‹').replaceAll('>', '›').trim();
  const letters = [...line];
  return letters.length > LONGEST
    ? `${letters
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`
    : line;
}

export function expertsText(result: ExpertsResult): string {
  const rows = result.experts.map(
    (row) =>
      `${named(row)}: ${plural(row.claim_count, 'claim')}, ` +
      `${plural(row.citation_count, 'citation')}, score ${row.score}; ` +
      `top claims ${row.top_claim_ids.map(harmless).join(', ')}`,
  );
  const people = (result.people ?? []).map((row) => {
    const reason = row.relation?.replaceAll('_', ' ') ?? plural(row.claim_count, 'claim');
    const { entity_id, name, type, collection = null } = row;
    return entity_id === null
      ? `to ask: ${harmless(name)} (${type}): owns the files`
      : `to ask: ${named({ entity_id, name, type, collection })}: ${harmless(reason)}`;
  });
  const lines = result.asks_who ? [...people, ...rows] : [...rows, ...people];
  return said(result, lines, 'No entity carries evidence on this topic.');
}

export function salienceText(result: SalienceResult): string {
  const lines = result.salience.map(
    (row) =>
      `${named(row)}: ${row.score.toFixed(2)}, ${harmless(row.why)}; ` +
      plural(row.claim_count, 'claim') +
      (row.top_claim_id ? `, first ${harmless(row.top_claim_id)}` : ''),
  );
  return said(result, lines, 'Nothing that the knowledge base knows is in play.');
}

/** The block as the server gives it: it is safe and cut to size already. */
export function contextText(result: ContextResult): string {
  return said(result, result.text ? [result.text] : [], 'Nothing is known about this.');
}

interface Row {
  readonly entity_id: string;
  readonly name: string;
  readonly type: string;
  readonly collection?: string | null;
}

const named = ({ entity_id, name, type, collection }: Row): string =>
  `${harmless(name)} (${[entity_id, type, collection ?? ''].map(harmless).filter(Boolean).join(', ')})`;

interface Answer {
  readonly complete: boolean;
  readonly degraded: readonly string[];
}

function said(answer: Answer, lines: readonly string[], nothing: string): string {
  const notes = answer.complete
    ? answer.degraded.map((lack) => lack.replaceAll('_', ' '))
    : ['the knowledge base is still being read; ask again in a moment'];
  const shown = lines.length > 0 ? lines : [nothing];
  return [...shown, ...(notes.length > 0 ? [`(not all of it: ${notes.join(', ')})`] : [])].join(
    '\n',
  );
}
