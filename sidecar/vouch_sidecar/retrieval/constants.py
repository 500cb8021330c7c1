"""Every threshold and constant of judgement, with its reason.

docs/how-it-decides.md quotes all but the limits of work (`MAX_…`), and a test compares them. They
are round: the sets of labelled texts are too small to tell 0.20 from 0.22.
"""

from __future__ import annotations

from typing import Literal

# How strongly words mean an entity: arm × specificity × keyness × place.

LISTED = 0.20
"""From here on an entity is listed: above an ordinary word without its capital (0.15)."""
VOLUNTEERED = 0.60
"""From here on it is volunteered: above an ordinary word as the entity has it (0.55)."""

NAME = 1.0
"""The entity's own name: nothing is taken off."""
ALIAS = 0.95
"""Somebody declared it, but the entity is called something else."""
IDENTIFIER_FORM = 0.9
"""`rate_limiter` keeps the words of “rate limiter”, but may be another thing in code."""
INFLECTED = 0.75
"""Another number or verb form: “relays” may be any relays."""
SURNAME = 0.75
"""Exactly one person here has it; others do elsewhere."""
PART = 0.45
"""Some words of a name: listed where they are telling, never volunteered."""
DERIVED = 0.35
"""A topic, which nobody declared: listed where its name is several words or no English one, never
volunteered."""
BACKED = 0.85
"""The same beside another word of one of its claims: an ordinary English word is listed, others are
volunteered."""
SHARED = 0.4
"""The same of several entities, below whatever else is listed."""

SPECIFICITY = {0: 1.0, 3: 0.9, 2: 0.8, 1: 0.7}
"""Of a single word by its tier in English: 0 none, 3 ordinary, 2 common, 1 very common. Two letters
are common, numbers and stopwords very common. Several words are specific."""
ONE_LETTER = 0.3
"""A letter in the right case may still be a variable, a list's item or an article."""
STOPWORD = 0.5
"""A stopword in capitals amid words that are not: maybe a name, maybe stress."""
SIGNED = 0.9
"""A word with signs that belong to its name, such as C# or @team, is no English word."""
FEW_SIGNS = 0.6
"""A name of one or two signs in a script without spaces may be part of another word."""

OUTSIDE = 10
"""So many claims of others that use a word weigh as much as one claim of the entity."""
WRITTEN_OUT = 0.5
"""Keyness at least, where name and text both have a capital that nothing else explains."""

PlaceKind = Literal[
    "alone", "name", "trade", "as it is", "code", "bare", "unsigned", "another's", "word"
]
PLACES: dict[PlaceKind, float] = {
    "alone": 1.0,  # the text is nothing but the name
    "name": 1.0,  # a capital that nothing else explains, or one where a name stands
    "trade": 1.0,  # beside words that are said of the entity, where a name may stand
    "as it is": 0.6,  # the same letters, but so would the word be: listed, not volunteered
    "code": 0.5,  # a part of an identifier, a path or an import, which have no capitals to go by
    "bare": 0.4,  # “is beacon slow?” has no article, as names have none; some other words neither
    "unsigned": 0.3,  # a name without the signs that belong to it: “C” for C#
    "another's": 0.15,  # in a longer proper name or an address: “Keiko Tanaka” is not Yuki Tanaka
    "word": 0.17,  # who means a name that is a word writes its capital: below LISTED
}
"""What a mention is worth by where it stands. What is no English word is a name wherever it stands,
but unsigned, another's, and in code."""
TRADE_WORDS = 2
"""So many words that one of the entity's claims has stand beside its name, at least: one stands
beside an ordinary word by chance…"""
TRADE_WEIGHT = 0.5
"""…and so may two very common ones."""
BACKING_WEIGHT = 0.5
"""What the words beside a topic that one of its claims holds weigh at least; one may be enough."""
HEADING_SHARE = 0.9
"""Share of capitals among content words from which on a capital says nothing, as in a heading."""

# Which entities are in play.

FADING = 0.9
"""What a text is worth of the next newer one: after seven texts, half."""
DESCRIBED_SHARE = 0.65
"""Share of a text's content words, by rarity, that an entity's own words must hold."""
Band = tuple[float, float]
NAMED: Band = (0.4, 0.6)
"""Low end and width of the score. The bands do not mix: what is named goes before what is found…"""
FOUND: Band = (0.2, 0.15)
NAMED_WITHOUT_CLAIMS: Band = (0.1, 0.1)
"""…and what has claims before both without, of which nothing can be said."""
FOUND_WITHOUT_CLAIMS: Band = (0.0, 0.1)
FAINTEST = 0.01
"""What is declared scores so much at least…"""
TOPICS: Band = (0.0, 0.01)
"""…and a topic less, which nobody declared."""

# What full text may say of a text.

LEAST_WORDS = 3
"""A text of fewer words is a command or a name, unless it holds an identifier or the like."""
RARE = 0.6
"""Rarity, as a share of the greatest there is, from which on a word is looked for by itself."""

PhraseKind = Literal["quoted", "title", "identifier", "notation", "name", "together", "rare"]
PHRASE_WORTH: dict[PhraseKind, float] = {
    "quoted": 0.95,
    "title": 0.9,
    "identifier": 0.9,
    "notation": 0.9,
    "name": 0.85,
    "together": 0.7,
    "rare": 0.5,
}
"""What a phrase is worth by how it was found: the more it was set apart on purpose, the more."""

# What answers a text. `make fit` writes what stands between the two marks.

# fitted
# 2026-11-25
# Fitted to tests/quality: courier, questions, bakery, laboratory, studio, heating, port,
#   newspaper. Said of its prompts without each knowledge base:
# own claims: alone 148/149, beside 94/103, exact 21/26, exact_silent 1/21, foreign 14/1920, half
#   54/66, named 112/121, ordinary 36/36, page 88/98, page_only 19/25, page_silent 0/16, pasted
#   12/480, relation_silent 0/17, silent 20/254, silent_domain 7/24, task 41/78, task_silent 0/32
# 20 claims: alone 47/47, beside 20/25, half 39/39, named 26/31, silent 1/80, silent_domain 1/24,
#   task 24/37
# 1000 claims: alone 47/47, beside 17/25, half 38/39, named 21/31, page 17/24, silent 3/80,
#   silent_domain 7/24, task 19/37
# 4581 claims: alone 47/47, beside 13/25, half 37/39, named 21/31, page 17/24, silent 4/80,
#   silent_domain 5/24, task 14/37
BIAS = -6.23
LIKELIHOOD_WEIGHTS = {
    "held": 2.78,
    "missing": -1.23,
    "rivals": -0.92,
    "pairs": 1.25,
    "named": 2.17,
    "section": -1.12,
    "around": -0.97,
    "beyond": 1.10,
    "size": -0.16,
    "shared": 4.34,
}
# end of fitted
# fitted semantic
# 2026-11-25
# Fitted to tests/quality: courier, questions, bakery, laboratory, studio, heating, port,
#   newspaper. Said of its prompts without each knowledge base:
# own claims: alone 147/148, beside 100/103, exact 24/26, exact_silent 1/21, foreign 5/1920, half
#   59/66, named 112/120, ordinary 36/36, page 89/98, page_only 21/25, page_silent 0/16, paraphrase
#   0/24, pasted 0/480, relation_silent 0/17, silent 14/253, silent_domain 11/24, task 47/78,
#   task_silent 0/32
BIAS_SEMANTIC = -9.23
LIKELIHOOD_WEIGHTS_SEMANTIC = {
    "held": 1.05,
    "missing": -0.90,
    "rivals": -0.38,
    "pairs": 1.31,
    "named": 1.30,
    "section": -0.28,
    "around": 0.00,
    "beyond": 0.27,
    "size": 0.59,
    "shared": 1.08,
    "cosine": 9.17,
    "lead": 4.25,
}
# end of fitted semantic
EXACT_WORDS = 2
"""As how many words a file counts that a text names and a claim is tied to: an identifier…"""
NAME_WORDS = 2
"""…and as how many a name that a text surely means."""
BARE_WEIGHT = 0.55
"""A text whose words beside a name weigh less asks for whatever there is about it."""
EXCHANGE_SHARE = 0.2
"""Share of the weight of a text that a question which was asked before must hold: one that holds
less is another question."""
PASSAGE = -0.30
"""Weight of a passage of a document, of which nobody said that it stands for itself: the more there
are, the more share words with a text by chance. Set on prompts over a base of documents (2,681
claims, where it is -2.4): the first value at which it says something to two of fifteen that nothing
answers, and to a hundredth of questions about other repositories."""
ALIKE = 0.7
"""Share of the stems of two statements that both have, from which on they say the same."""
CandidateKind = Literal["worded", "passage", "exchange", "answer"]
"""What a candidate is: a sentence that somebody worded or approved as a claim, or wrote for a page;
a passage of a document, approved by its receipt alone; a statement of a captured exchange; or one
of an exchange that answers the question which the text asks again.
"""
ASKED_AGAIN = 0.5
"""Share of the weight of a question asked before which a text must hold to ask it again…"""
ASKS_MORE = 0.25
"""…and share of the text's weight that the question must hold: the text may say more."""
UNASKED_KINDS: frozenset[CandidateKind] = frozenset({"exchange", "passage"})
"""Kinds of claims that are not volunteered: what was said in a conversation is no fact until
somebody approves it, and of the prompts to which passages spoke, they spoke wrongly to more than a
third. Whoever asks for a name alone is told passages about it."""
UNASKED_PAGES = frozenset({"session"})
"""Types of pages that are not volunteered: what happened in a session is no knowledge yet."""
STARTER_PAGE = "edit-in-obsidian"
"""The page on vouch itself that `vouch init` makes: it says nothing of the repository."""
WHO_LIKELIHOOD = 0.08
"""From here on a claim about a person or a team is said to whom asks who."""
ASKED_FOR = 1.0
"""Similarity of somebody to ask about a topic, to whom asks for somebody."""
COMMONNESS = {0: 1.0, 3: 0.8, 2: 0.6, 1: 0.3}
"""By tier in English: what is rare in a small knowledge base may be in every other prompt."""
SLIGHT = 0.3
"""Numbers, times and commands say what a text is about as little as a very common word."""
SIGN_PAIR = 0.5
"""Two signs of a script without spaces are often half of a word."""
HIRAGANA = 0.15
"""Endings and particles in Japanese are in hiragana."""

# On which scale evidence is told.

VOLUNTEERED_SIMILARITY = 0.40
"""The similarity of a name that is just strong enough to be volunteered."""

# What is found by meaning, with a model that was chosen for it. docs/semantic.md has the figures.

SEMANTIC_LEAST = 0.25
"""Cosine from which on a text is found by meaning alone: what is unrelated is mostly below."""
SEMANTIC_WEIGHT = 0.6
"""Of a hit's score; the rest is the share of the query that it holds, which a model can't see."""
BESIDE_A_CLAIM = 0.7
"""What an entity's description or a section is worth of a claim: it is about it, and tells less."""

# Who carries a topic.

PARTIAL_SHARE = 0.5
"""Share of a topic's words, by rarity, that a claim must hold where none holds all."""
OTHER_FORM = 0.5
"""A claim that holds a word of the topic in another form only: `typed` for `typing`."""
LEADS = 2.0
"""A claim that begins with the topic is about it."""
PROLIFIC = 30
"""An entity with a thirtieth of all claims counts 1/√2: it is in everything."""

# Limits of work: what lies beyond them changes no answer that a person would miss.

MAX_TOPIC_WORDS = 256
"""Content words of a topic that are looked for; what follows them is not."""
MAX_SETS = 100
"""Different sets of words of the same, largest share that are looked for."""
MAX_PHRASES = 8
MAX_PHRASED = 4_096
"""Characters of a text that are searched for phrases; names are looked for in all of it."""
MAX_HITS = 24
MAX_CLAIMS_OF_NAME = 3
MAX_NEAREST = 10
"""Claims of an entity that are looked at, nearest first."""
MAX_TITLED = 3
"""Pages that have a name as their title."""
MAX_SECTIONS = 64
"""Sections of pages that hold a name which are looked at."""
MAX_TIED = 16
"""Claims tied to files that a text names: the strongest ties."""
MAX_RELATIONS = 24
"""Relations of a named entity that are looked at."""
MAX_ASKED = 64
"""Words of a text that are looked for in claims and sections: those that weigh most."""
MAX_EXACT = 16
"""Identifiers, tickets, paths and options of a text that are looked for as they are written."""
MAX_AROUND = 12
"""Words before and after a name that may be of its trade."""
MAX_CONSIDERED = 8
"""Claims, sections and relations each that are looked at for a text, those that hold most of it."""
MAX_PASSAGED = 32_768
"""Characters of a section that are looked at passage by passage."""
MAX_PASSAGES = 8
"""Passages of a section that it may be told by, those that hold most of a text."""
MAX_EXCHANGES = 4
"""Questions that were asked before that are looked at for a text, those that hold most of it."""
MAX_STATEMENTS = 12
"""Statements of one answer that are looked at: as many as vouch takes out of one."""
MAX_NAMED = 24
"""Entities that a text names, of which claims are looked for: the strongest."""
MAX_SEMANTIC = 5
"""Hits of a search or a probe by meaning alone."""
MAX_SPEAKING = 8
"""Named entities that lines are looked for: the strongest. Ten lines is the most that is said."""

# Who committed to the files of claims.

COMMIT_HALF_LIFE_DAYS = 730
"""A commit counts half as much two years later: who wrote a file long ago may have left it."""
OWN_FILE = 0.8
"""What a commit to a claim's own file counts, as one to a file that the claim cites."""
GENERAL_FILE = 0.2
"""A changelog, a manifest or a lock file is touched by everybody who changes anything."""
MAX_AUTHORS = 3
"""People who are named for their commits."""
MAX_PATHS_OF_AUTHOR = 7
"""Files that are listed of each of them; `files` counts all."""
MAX_OWNERS = 3
"""Owners by CODEOWNERS who are named: a rule may name dozens."""
MAX_CLAIMS_WITH_FILES = 100
"""Claims whose files are looked at for authors and owners, the best by worth."""
MAX_FILES_OF_AUTHORS = 500
"""Files whose commits are looked at, those with the strongest ties."""
MAX_BELOW = 50
"""Files of a folder that a claim names; of a larger one nobody knows all."""
