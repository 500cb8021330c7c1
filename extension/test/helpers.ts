import type {
  ClaimView,
  EntityResult,
  ExpertRow,
  SalientEntity,
  TiedClaim,
} from '../src/protocol.gen';

export const pushed = (id: string, more: Partial<SalientEntity> = {}): SalientEntity => ({
  entity_id: id,
  claim_count: 2,
  top_claim_id: `c-${id}`,
  name: id.toUpperCase(),
  type: 'system',
  score: 0.5,
  arm: 'name',
  matched: [id],
  why: `named as ${id}`,
  ambiguous: false,
  claim: `Text of c-${id}`,
  ...more,
});

export const claim = (id: string, more: Partial<ClaimView> = {}): ClaimView => ({
  id,
  text: `Text of ${id}`,
  said: `Text of ${id}`,
  heading: '',
  lacks_context: false,
  type: 'observation',
  status: 'working',
  confidence: 0.7,
  facts: 'working · confidence 0.70 · 2026-06-30',
  entities: [],
  tags: [],
  link: 'declared',
  date: '2026-06-30T02:31:44Z',
  stale: null,
  citations: [],
  uri: `file:///kb/.vouch/claims/${id}.yaml`,
  ...more,
});

export const expert = (id: string, score: number, more: Partial<ExpertRow> = {}): ExpertRow => ({
  entity_id: id,
  name: id.toUpperCase(),
  type: 'team',
  claim_count: 3,
  citation_count: 2,
  score,
  top_claim_ids: ['c1'],
  ...more,
});

export const entity = (id: string, claims: readonly ClaimView[], total = claims.length) =>
  ({
    generation: 1,
    complete: true,
    degraded: [],
    entity: {
      id,
      name: id.toUpperCase(),
      type: 'system',
      aliases: [],
      description: null,
      uri: `file:///kb/.vouch/entities/${id}.yaml`,
    },
    people: [],
    claim_count: total,
    claims,
    pages: [],
    relations: [],
    collection: 'kb',
  }) satisfies EntityResult;

export const tied = (id: string, more: Partial<TiedClaim> = {}): TiedClaim => ({
  ...claim(id),
  collection: 'kb',
  arm: 'quotes',
  strength: 0.9,
  weak: false,
  line: null,
  why: 'quotes it',
  fresh: null,
  ...more,
});
