// Generated from schemas/protocol.json by `npm run generate`; changes here are lost.

/** The protocol that these types belong to. */
export const PROTOCOL = 1;

// The language and scheme of prompts, rows of a push at most, what ids of topics begin with, seconds from 1970 to the end of a pause without one.
export const PROMPT_DOCUMENT = "vouch-prompt";
export const PUSHED_ROWS = 10;
export const TOPIC_ID = "topic:";
export const UNTIL_RESUMED = 4102444800;

/** The weights of experts, with what a heading says of each. */
export const WEIGHTS: Readonly<Record<string, string>> = {
  "citation": "by what they cite",
  "count": "by number of claims",
  "evidence": "by weight of evidence",
  "recency": "by how recent they are"
};

/** Somebody who committed to the files of claims, by name alone: how many commits, the date of the last one, to how many files; and the files with most of these commits, at most seven. */
export interface Author {
  readonly name: string;
  readonly commits: number;
  readonly last: string;
  readonly files: number;
  readonly paths: readonly ChangedFile[];
}

/** What this server answers and sends. */
export interface CapabilitiesResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** Rises when clients have to change. */
  readonly protocol: number;
  /** Requests, as LSP calls them. */
  readonly methods: readonly string[];
  /** Taken or sent, as LSP calls them. */
  readonly notifications: readonly string[];
}

/** A file below the root of the knowledge base, with the number of an author's commits to it and the date of the last of these. */
export interface ChangedFile {
  readonly path: string;
  readonly commits: number;
  readonly last: string;
}

/** One citation of a claim, resolved as far as it goes. */
export interface Citation {
  /** As the claim gives it. */
  readonly id: string;
  /** missing: there is none that may be shown. */
  readonly kind: "source" | "evidence" | "missing";
  readonly source_id: string | null;
  /** Of the source. */
  readonly title: string | null;
  /** Path or address of a source, place of evidence in it. */
  readonly locator: string | null;
  readonly quote: string | null;
  /** URI of the cited document, in the workspace or as it was kept, with its line (`#L12`) where known. */
  readonly document: string | null;
  /** Whether the cited file still has the quote, if known. */
  readonly fresh: "there" | "moved" | "gone" | null;
  /** The file of the evidence, or of the source's record. */
  readonly uri: string | null;
}

/** A claim with what it stands on. */
export interface ClaimResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** Whom to ask: people by claims, owners and their teams' people, then owners of files by CODEOWNERS. */
  readonly people: readonly PersonToAsk[];
  /** Who committed to the files of these claims, who knows them best first; for models only where `people.git` is `agents`. */
  readonly by_commits?: readonly Author[] | null;
  /** Those that list it. */
  readonly pages: readonly PageRef[];
  /** Those that begin or end here. */
  readonly relations: readonly RelationRef[];
  /** The knowledge base it stands in. */
  readonly collection: string;
  readonly claim: ClaimView;
  /** As the claim gives it. */
  readonly approved_by: string | null;
  /** Whether a checked receipt approved it, and no person. */
  readonly auto_approved: boolean;
  /** Live, visible claims that it contradicts, or that contradict it. */
  readonly contested_by: readonly ClaimView[];
}

/** A claim with its citations resolved. */
export interface ClaimView {
  readonly id: string;
  /** Its file. */
  readonly uri: string;
  /** As the claim gives it. */
  readonly text: string;
  /** What is shown: the whole sentence of which it is a part, where its source has one; else its text. */
  readonly said: string;
  /** The heading that `said` begins with. */
  readonly heading: string;
  /** Whether words around it that may turn it round are missing in `said`. */
  readonly lacks_context: boolean;
  readonly type: string;
  readonly status: string;
  readonly confidence: number;
  /** Those it counts for under linking `auto`. */
  readonly entities: readonly string[];
  /** Why: declared, named in its text, or by a page that lists it. */
  readonly link: "declared" | "named" | "page" | null;
  readonly tags: readonly string[];
  /** Last confirmed, else updated, else created; ISO 8601. */
  readonly date: string | null;
  /** Why it may hold no more, for people; null: nothing says so. */
  readonly stale: string | null;
  /** Status, confidence, date and `stale`, for people. */
  readonly facts: string;
  readonly citations: readonly Citation[];
}

/** What a line of the block cites. */
export interface ContextItem {
  readonly kind: "claim" | "page" | "entity" | "relation" | "source";
  readonly id: string;
  /** The knowledge base it stands in. */
  readonly collection: string;
  /** The words of the text that matched. */
  readonly phrase: string;
  /** Strength of the evidence. */
  readonly similarity: number;
  /** How it matched; `text` is full text, `semantic` meaning. */
  readonly arm: "name" | "alias" | "variant" | "partial" | "derived" | "text" | "semantic" | "cites" | "quotes" | "path" | "identifier";
  /** The entity that brought it in, if one did. */
  readonly entity_id: string | null;
  /** Whether a person worded, approved or confirmed it. */
  readonly reviewed: boolean;
}

/** A task to give context for, or a session. */
export interface ContextParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** Only claims confirmed or updated since: an ISO date, or a span such as `7d`. */
  readonly since?: string | null;
  /** The prompt. Left out: what the latest texts of the session are about. */
  readonly task?: string | null;
  /** Characters of `text` at most, frame included; else what the config says. */
  readonly max_chars?: number | null;
  /** False leaves out what this session was given before. */
  readonly repeat?: boolean;
}

/** A block for a prompt, empty when there is nothing to say. */
export interface ContextResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** The block, in its frame. */
  readonly text: string;
  /** What its lines cite. */
  readonly items: readonly ContextItem[];
  /** The knowledge base that the text is about. */
  readonly primary_collection: string | null;
  /** Others that the block speaks of. */
  readonly supplemental_collections: readonly string[];
  /** `sidecar.persona` of the primary collection's config. */
  readonly persona: string | null;
}

/** Artifacts that are served, by kind. */
export interface Counts {
  readonly claims: number;
  readonly entities: number;
  readonly pages: number;
  readonly relations: number;
  readonly sources: number;
  readonly evidence: number;
}

/** Sent when a session's ranking changes. */
export interface DidChangeSalience {
  readonly session_id: string;
  /** What is in play now, strongest first, at most 10. */
  readonly salience: readonly SalientEntity[];
  /** Entities that the newest text brought in, sure enough to speak of unasked. */
  readonly fresh: readonly SalientEntity[];
  /** A block for a prompt about `fresh`; empty without any. */
  readonly text: string;
  readonly generation: number;
  /** Whether texts alone changed it. */
  readonly of_text: boolean;
}

/** Sent when the server's health or knowledge changes. */
export interface DidChangeStatus {
  /** warning: it serves, within the limits that `message` names. */
  readonly health: "ok" | "warning" | "error";
  /** Whether nothing is being indexed. */
  readonly quiescent: boolean;
  /** What is going on or wrong, for people. */
  readonly message: string | null;
  readonly generation: number;
}

/** An entity with what is known of it. */
export interface EntityResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** Whom to ask: people by claims, owners and their teams' people, then owners of files by CODEOWNERS. */
  readonly people: readonly PersonToAsk[];
  /** Who committed to the files of these claims, who knows them best first; for models only where `people.git` is `agents`. */
  readonly by_commits?: readonly Author[] | null;
  /** Those that list it. */
  readonly pages: readonly PageRef[];
  /** Those that begin or end here. */
  readonly relations: readonly RelationRef[];
  /** The knowledge base it stands in. */
  readonly collection: string;
  readonly entity: EntityView;
  /** Live, visible claims linked to it. */
  readonly claim_count: number;
  /** The best of them, at most 20. */
  readonly claims: readonly ClaimView[];
  /** Present for a topic: where the name was found. */
  readonly why?: string | null;
}

/** An entity. */
export interface EntityView {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly aliases: readonly string[];
  readonly description: string | null;
  /** Its file; a topic has none. */
  readonly uri: string | null;
}

/** An entity and the evidence it carries on the topic. */
export interface ExpertRow {
  readonly entity_id: string;
  readonly name: string;
  readonly type: string;
  /** Present with several knowledge bases. */
  readonly collection?: string | null;
  /** Matching live, visible claims linked to it. */
  readonly claim_count: number;
  /** Distinct evidence ids over those claims. */
  readonly citation_count: number;
  /** Under the weight asked for, rounded to 6 places. */
  readonly score: number;
  /** The three largest contributions. */
  readonly top_claim_ids: readonly string[];
  /** Present when asked for: the largest contributions to the sum, at most ten. */
  readonly explain?: readonly ExplainedClaim[] | null;
}

/** A topic to rank entities on. */
export interface ExpertsParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** Only claims confirmed or updated since: an ISO date, or a span such as `7d`. */
  readonly since?: string | null;
  /** Words, a name, or the path of a file; not blank. */
  readonly topic: string;
  /** Rows at most. */
  readonly limit?: number;
  /** Matching claims that a row needs. */
  readonly min_claims?: number;
  /** What a matching claim adds. count: 1; recency: 2^(−age in days / 30); citation: its citations × its confidence; evidence: its confidence × the share of the topic that it holds, doubled where it begins with the topic, nothing where it repeats another; anything else is read as count. */
  readonly weight?: string;
  /** Only entities of these types, such as person, team or system. */
  readonly types?: readonly string[] | null;
  /** `declared`: a claim counts only for entities that it declares. */
  readonly linking?: "auto" | "declared";
  /** Adds `explain` to every row. */
  readonly explain?: boolean;
}

/** Entities by evidence, best first. */
export interface ExpertsResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** Best first. */
  readonly experts: readonly ExpertRow[];
  /** Whom to ask about the entities that the topic names, as in `entity`; then owners by CODEOWNERS of its files. */
  readonly people?: readonly PersonToAsk[] | null;
  /** Words of the topic that nothing here holds; they are left out. */
  readonly unmatched?: readonly string[] | null;
  /** A sentence for each weight and type asked for that there is not, with the nearest. */
  readonly unknown?: readonly string[] | null;
  /** Who committed to the files of these claims, who knows them best first; for models only where `people.git` is `agents`. */
  readonly by_commits?: readonly Author[] | null;
}

/** A text to explain. */
export interface ExplainParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** A prompt or a paragraph. */
  readonly text: string;
}

/** Every candidate of a text. */
export interface ExplainResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** Strongest first. */
  readonly entities: readonly ExplainedEntity[];
  /** What is said first, then by similarity. */
  readonly texts: readonly ExplainedText[];
}

/** How one matching claim counted for an entity. */
export interface ExplainedClaim {
  readonly claim_id: string;
  /** What it added to the sum, before rounding. */
  readonly contribution: number;
  /** The figures whose product it added. */
  readonly factors: Readonly<Record<string, number>>;
  /** Whether the topic names an entity or a file of it, or its words match. */
  readonly arm: "entity" | "text";
  /** Why it counts, as in `claim`; derived: for a topic. */
  readonly link: "declared" | "named" | "page" | "derived";
}

/** An entity that the text may name. */
export interface ExplainedEntity {
  readonly entity_id: string;
  readonly name: string;
  readonly type: string;
  /** Present with several knowledge bases. */
  readonly collection?: string | null;
  /** The product of the factors. */
  readonly strength: number;
  /** By name, each from 0 to 1. */
  readonly factors: Readonly<Record<string, number>>;
  /** `volunteered`: a prompt is told of it; `listed`: it is in play alone. */
  readonly verdict: "volunteered" | "listed" | "refused";
  /** How it was found, and the threshold that it missed. */
  readonly why: string;
}

/** A claim or a page that the text may bring in. */
export interface ExplainedText {
  readonly kind: "claim" | "page" | "entity" | "relation" | "source";
  readonly id: string;
  /** The knowledge base it stands in. */
  readonly collection: string;
  /** Likelihood that it answers the text. */
  readonly similarity: number;
  /** What each feature adds to it, by name. */
  readonly factors: Readonly<Record<string, number>>;
  readonly verdict: "said" | "refused";
  /** What brings it in, or what it lacks. */
  readonly why: string;
}

/** Files by their paths, or one by its URI. */
export interface FilesParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** In place of that a document, as the editor has it; over LSP alone. */
  readonly uri?: string | null;
  /** The part of the document that is meant. */
  readonly range?: Range | null;
  /** Absolute, or relative to the knowledge base or its repository. */
  readonly paths?: readonly string[] | null;
}

/** The claims tied to each file that was asked about. */
export interface FilesResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** In the order asked. */
  readonly files: readonly TiedFile[];
}

/** An artifact by id, an entity also by name. */
export interface IdParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** Whole, or its first three words or more; of an entity also a name or alias. */
  readonly id: string;
}

/** A text, or an open document. */
export interface MentionsParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** In place of that a document, as the editor has it; over LSP alone. */
  readonly uri?: string | null;
  /** The part of the document that is meant. */
  readonly range?: Range | null;
  /** The text. */
  readonly text?: string | null;
}

/** The entities that a text names. */
export interface MentionsResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** As they stand there. */
  readonly mentions: readonly NamedEntity[];
}

/** What is in play in the session that the call named. */
export interface Meta {
  /** Strongest first. */
  readonly vouch_salience: readonly SalienceMeta[];
}

/** A place that names an entity. Where words name several, each is a row. */
export interface NamedEntity {
  readonly entity_id: string;
  readonly name: string;
  readonly type: string;
  /** Present with several knowledge bases. */
  readonly collection?: string | null;
  /** How the words name it. */
  readonly arm: "name" | "alias" | "variant" | "partial" | "derived" | "text" | "semantic";
  /** Whether they name other entities as well. */
  readonly ambiguous: boolean;
  /** Whether that is strong enough for what is in play. */
  readonly listed: boolean;
  /** Of a text: where the words begin, in Unicode code points. */
  readonly start?: number | null;
  /** Of a text: where they end. */
  readonly end?: number | null;
  /** Of a document: where the words stand. */
  readonly range?: Range | null;
}

/** How long one operation took: the latest thousand calls. */
export interface OperationStats {
  readonly operation: string;
  /** Calls since the process began. */
  readonly count: number;
  /** Median. */
  readonly p50_ms: number;
  /** 95th percentile. */
  readonly p95_ms: number;
}

/** A page, to go to. */
export interface PageRef {
  readonly id: string;
  /** Its file. */
  readonly uri: string;
  readonly title: string;
  readonly status: string;
}

/** What every operation takes; null stands for what is not given. */
export interface Params {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
}

/** For how long hooks, pushes and hover of a knowledge base are silent. */
export interface PauseParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** null: without an end; 0 resumes. */
  readonly seconds?: number | null;
}

/** The end of the pause. */
export interface PauseResult {
  /** ISO 8601; the year 2100 stands for no end. */
  readonly paused_until: string | null;
}

/** Somebody to ask; an owner of files by CODEOWNERS has a handle, as in `octo-org/octocats`, and no id. `claim_count` is the number of live, visible claims that count for both. `relation` is the label of the relation between them, `owns` for an owner of files. `via` is the team through which somebody was found, or the pattern of the rule that names an owner. `said` is why to ask, for people; `collection` is left out where there is one knowledge base. */
export interface PersonToAsk {
  readonly entity_id: string | null;
  readonly name: string;
  readonly type: string;
  readonly via: string | null;
  readonly claim_count: number;
  readonly relation: string | null;
  readonly said: string;
  readonly collection?: string | null;
}

/** A place in a document, as in LSP. */
export interface Position {
  readonly line: number;
  /** In the client's encoding. */
  readonly character: number;
}

/** An artifact that a phrase of the text brought in. */
export interface ProbeHit {
  readonly kind: "claim" | "page" | "entity" | "relation" | "source";
  readonly id: string;
  /** The knowledge base it stands in. */
  readonly collection: string;
  /** The words of the text that matched. */
  readonly phrase: string;
  /** Strength of the evidence. */
  readonly similarity: number;
  /** How it matched; `text` is full text, `semantic` meaning. */
  readonly arm: "name" | "alias" | "variant" | "partial" | "derived" | "text" | "semantic" | "cites" | "quotes" | "path" | "identifier";
  /** What it says; of a page, the section. */
  readonly text: string;
  /** Its file, relative to `.vouch/`. */
  readonly filename: string;
  /** The section of a page, else 0. */
  readonly chunk_idx: number;
}

/** A text to take apart. */
export interface ProbeParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** What was typed or read. */
  readonly text: string;
}

/** What the knowledge bases know of a text, and which of them it is about. */
export interface ProbeResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** By similarity. */
  readonly hits: readonly ProbeHit[];
  /** The knowledge base that the text is about. */
  readonly primary_collection: string | null;
  /** Others with hits. */
  readonly supplemental_collections: readonly string[];
  /** Weak evidence is never pushed. */
  readonly strength: "strong" | "moderate" | "weak";
  /** `sidecar.persona` of the primary collection's config. */
  readonly persona: string | null;
  /** At most 8. */
  readonly phrases_tested: readonly string[];
  /** How many of them the session remembered. */
  readonly from_cache: number;
  readonly probe_time_ms: number;
}

/** Something wrong with a file, a setting, or with following the disk. */
export interface ProblemView {
  /** Relative to `.vouch/`; empty for what is about no file. */
  readonly path: string;
  readonly line: number;
  /** error: what the file or the setting says does not count. */
  readonly severity: "error" | "warning" | "hint";
  /** The rule that found it; stays the same. */
  readonly code: string;
  readonly message: string;
}

/** A prompt submitted without a document. */
export interface PromptParams {
  /** Session whose newest text it becomes. */
  readonly session_id: string;
  /** The prompt in its own words. */
  readonly text: string;
}

/** A part of a document, as in LSP. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** An edge of the graph. */
export interface RelationRef {
  readonly id: string;
  /** Its file. */
  readonly uri: string;
  /** Id where it begins. */
  readonly source: string;
  readonly relation: string;
  /** Id where it ends. */
  readonly target: string;
  readonly confidence: number;
}

/** What every operation gives. */
export interface Result {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
}

/** One knowledge base. */
export interface RootStatus {
  /** The folder that holds `.vouch/`. */
  readonly root: string;
  /** What it is called in answers. */
  readonly collection: string;
  readonly counts: Counts;
  /** Present where names that nobody declared are topics: how many. */
  readonly topics?: number | null;
  /** Files below `.vouch/` whose artifacts are missing in answers. */
  readonly unusable: number;
  /** By file and line; to a model those of settings alone. `vouch-sidecar check` finds more. */
  readonly problems: readonly ProblemView[];
  /** When the index was last changed; ISO 8601. */
  readonly indexed_at: string | null;
  /** As `vouch/pause` has it. */
  readonly paused_until: string | null;
}

/** One salient entity, in the shape vouch attaches to its answers. */
export interface SalienceMeta {
  readonly entity_id: string;
  /** Live, visible claims linked to it. */
  readonly claim_count: number;
  /** The claim that shares most with the newest text. */
  readonly top_claim_id: string | null;
  /** Present with several knowledge bases. */
  readonly collection?: string | null;
}

/** Which session's window to rank. */
export interface SalienceParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** Entities at most; by default what the config says. */
  readonly top_k?: number | null;
}

/** Entities in play in a session, strongest first. */
export interface SalienceResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** The session that was ranked. */
  readonly session_id: string;
  /** Strongest first. */
  readonly salience: readonly SalientEntity[];
}

/** An entity in play, and why. */
export interface SalientEntity {
  readonly entity_id: string;
  /** Live, visible claims linked to it. */
  readonly claim_count: number;
  /** The claim that shares most with the newest text. */
  readonly top_claim_id: string | null;
  /** Present with several knowledge bases. */
  readonly collection?: string | null;
  readonly name: string;
  readonly type: string;
  /** Strength of the evidence on an absolute scale. */
  readonly score: number;
  /** How the window names it; `text` is full text. */
  readonly arm: "name" | "alias" | "variant" | "partial" | "derived" | "text" | "semantic";
  /** The words that named it, newest first. */
  readonly matched: readonly string[];
  /** The evidence and its factors, readable. */
  readonly why: string;
  /** Whether what named it names other entities as well. */
  readonly ambiguous: boolean;
  /** What its top claim says, at most 200 characters. */
  readonly claim: string | null;
}

/** An artifact that holds words of the query. */
export interface SearchHit {
  readonly kind: "claim" | "page" | "entity" | "relation" | "source";
  readonly id: string;
  /** The knowledge base it stands in. */
  readonly collection: string;
  /** Name, title or id. */
  readonly title: string;
  /** Where the words stand, at most 200 characters. */
  readonly snippet: string;
  /** Comparable within one answer. */
  readonly score: number;
  /** Present where it was found by meaning alone. */
  readonly arm?: "semantic" | null;
  /** As in `claim`. */
  readonly stale: string | null;
  /** The artifact's file. */
  readonly uri: string;
}

/** Words to search for. */
export interface SearchParams {
  /** Session that the call belongs to; without one it is stateless. */
  readonly session_id?: string | null;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
  /** Only claims confirmed or updated since: an ISO date, or a span such as `7d`. */
  readonly since?: string | null;
  /** Words. */
  readonly query: string;
  /** Only these kinds. */
  readonly kinds?: readonly ("claim" | "page" | "entity" | "relation" | "source")[] | null;
  /** Hits at most. */
  readonly limit?: number;
  /** Ids to leave out. */
  readonly exclude?: readonly string[] | null;
}

/** Hits, best first; before them the entities that the query is a name of. */
export interface SearchResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  readonly hits: readonly SearchHit[];
}

/** The session to end. */
export interface SessionEndParams {
  /** Session whose window is dropped. */
  readonly session_id: string;
  /** Who asks. */
  readonly viewer?: ViewerParams | null;
  /** Path or file URI: only the knowledge base there is asked. */
  readonly root?: string | null;
}

/** Figures of this process since it began, kept in memory; none of them is a text. */
export interface StatsResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** Prompts that hooks reported. */
  readonly prompts: number;
  /** Of these, those to which something was said. */
  readonly told: number;
  readonly silent: number;
  /** Lines given, in blocks for prompts and files. */
  readonly lines: number;
  /** Phrases that texts were probed for. */
  readonly phrases: number;
  /** Of these, those that a session remembered. */
  readonly from_cache: number;
  readonly operations: readonly OperationStats[];
}

/** What this process serves, and how it is. */
export interface StatusResult {
  /** Rises with every change published. */
  readonly generation: number;
  /** False until the first index is built. */
  readonly complete: boolean;
  /** What this answer had to do without; else empty. */
  readonly degraded: readonly ("index_building" | "search_failed" | "watch_lost" | "files_skipped" | "timed_out" | "semantic_unavailable" | "workspace_pending" | "unknown_weight")[];
  /** What is in play in the session named. */
  readonly _meta?: Meta | null;
  /** The knowledge bases, in the order of their folders. */
  readonly roots: readonly RootStatus[];
  /** Knowledge bases of other users, and how to allow them. */
  readonly refused: readonly string[];
  /** Sessions with a window. */
  readonly sessions: number;
  /** How changes on disk are noticed first. */
  readonly watcher: "own" | "sweep" | "none";
  readonly version: string;
}

/** A claim that is tied to a file. */
export interface TiedClaim {
  readonly id: string;
  /** Its file. */
  readonly uri: string;
  /** As the claim gives it. */
  readonly text: string;
  /** What is shown: the whole sentence of which it is a part, where its source has one; else its text. */
  readonly said: string;
  /** The heading that `said` begins with. */
  readonly heading: string;
  /** Whether words around it that may turn it round are missing in `said`. */
  readonly lacks_context: boolean;
  readonly type: string;
  readonly status: string;
  readonly confidence: number;
  /** Those it counts for under linking `auto`. */
  readonly entities: readonly string[];
  /** Why: declared, named in its text, or by a page that lists it. */
  readonly link: "declared" | "named" | "page" | null;
  readonly tags: readonly string[];
  /** Last confirmed, else updated, else created; ISO 8601. */
  readonly date: string | null;
  /** Why it may hold no more, for people; null: nothing says so. */
  readonly stale: string | null;
  /** Status, confidence, date and `stale`, for people. */
  readonly facts: string;
  readonly citations: readonly Citation[];
  readonly collection: string;
  /** How it is tied. */
  readonly arm: "cites" | "quotes" | "path" | "identifier";
  /** How sure that is, from 0 to 1. */
  readonly strength: number;
  /** Below 0.45: to be folded; prompts are never given it. */
  readonly weak: boolean;
  /** From 1, where a receipt or the text gives one. */
  readonly line: number | null;
  /** For people, in a few words. */
  readonly why: string;
  /** Whether the cited file still has the quote, if known. */
  readonly fresh: "there" | "moved" | "gone" | null;
}

/** A file with its claims. */
export interface TiedFile {
  /** Below the knowledge base, else as it was given. */
  readonly path: string;
  /** Strongest first. */
  readonly claims: readonly TiedClaim[];
}

/** Who asks; decides which private and project-bound claims are visible. */
export interface ViewerParams {
  /** Project that the viewer belongs to. */
  readonly project?: string | null;
  /** Agent that the viewer is. */
  readonly agent?: string | null;
}

/** Params and result of every request, by method. */
export interface Requests {
  "vouch/experts": { params: ExpertsParams; result: ExpertsResult };
  "vouch/salience": { params: SalienceParams; result: SalienceResult };
  "vouch/probe": { params: ProbeParams; result: ProbeResult };
  "vouch/context": { params: ContextParams; result: ContextResult };
  "vouch/search": { params: SearchParams; result: SearchResult };
  "vouch/entity": { params: IdParams; result: EntityResult };
  "vouch/claim": { params: IdParams; result: ClaimResult };
  "vouch/status": { params: Params; result: StatusResult };
  "vouch/stats": { params: Params; result: StatsResult };
  "vouch/capabilities": { params: Params; result: CapabilitiesResult };
  "vouch/explain": { params: ExplainParams; result: ExplainResult };
  "vouch/files": { params: FilesParams; result: FilesResult };
  "vouch/mentions": { params: MentionsParams; result: MentionsResult };
  "vouch/sessionEnd": { params: SessionEndParams; result: Result };
  "vouch/pause": { params: PauseParams; result: PauseResult };
}

/** Params of every notification, by method. */
export interface Notifications {
  "vouch/didChangeSalience": DidChangeSalience;
  "vouch/didChangeStatus": DidChangeStatus;
  "vouch/prompt": PromptParams;
  "vouch/sessionEnd": SessionEndParams;
}
