"""Every threshold and constant of judgement, with its reason.

docs/how-it-decides.md quotes those that a user meets, and a test compares them. They are round: the
sets of labelled texts are too small to tell 0.20 from 0.22.
"""

from __future__ import annotations

from typing import Literal

from vouch_sidecar.names.name_forms import FormKind

# How strongly words mean an entity: arm × specificity × keyness × place.

LISTED = 0.20
"""Least strength at which an entity is listed. An ordinary word without its capital (0.15) stays
below.
"""
VOLUNTEERED = 0.60
"""Least strength at which an entity is volunteered. An ordinary word as the entity spells it (0.55)
stays below.
"""

ARMS = {
    FormKind.NAME: 1.0,  # the entity's own name: nothing is taken off
    FormKind.ALIAS: 0.95,  # somebody declared it, but the entity is called something else
    FormKind.VARIANT: 0.9,  # `rate_limiter` may be another thing in code than “rate limiter”
    FormKind.SURNAME: 0.75,  # one person here has it, others have it elsewhere
    FormKind.PART: 0.45,  # a word of a name: listed where it is specific, never volunteered
    FormKind.DERIVED: 0.35,  # a topic: listed if no English word, never volunteered
}
"""Factor of a mention by the form of the name."""

SPECIFICITY = {0: 1.0, 3: 0.9, 2: 0.8, 1: 0.7}
"""Factor of a single word by its tier in English: 0 is not in the list, 3 ordinary, 2 common, 1
very common. Two letters count as common; numbers and stopwords as very common. Names of several
words have 1.0.
"""
OUTSIDE = 10
"""This many claims of other entities that use the word weigh as much against an entity as one claim
of its own weighs for it.
"""
WRITTEN_OUT = 0.5
"""Least keyness where both name and text have a capital that nothing else explains."""

PLACES: dict[str, float] = {
    "alone": 1.0,  # the text is nothing but the name
    "name": 1.0,  # a capital that nothing else explains, or one where a name stands
    "printed": 0.5,  # a name, but only where a machine printed it: listed, not volunteered
    "as it is": 0.5,  # the same letters, but so would the word be: listed, not volunteered
    "code": 0.5,  # a part of an identifier, a path or an import, which have no capitals to go by
    "another's": 0.15,  # in a longer proper name or an address: “Keiko Tanaka” is not Yuki Tanaka
    "word": 0.17,  # who means a name that is a word writes its capital: below LISTED
}
"""Factor of a mention by its place in the text. A word that is not English counts as a name at
every place but `printed`, `another's` and `code`.
"""

# Which entities are in play.

FADING = 0.9
"""Factor for each text by which a mention is older than the newest text: after seven texts,
half.
"""
DESCRIBED_SHARE = 0.65
"""Least share of a text's content words, weighed by rarity, that an entity's name, aliases and
description must hold for the text to describe it.
"""
BANDS = {
    (True, True): (0.4, 0.6),
    (False, True): (0.2, 0.15),
    (True, False): (0.1, 0.1),
    (False, False): (0.0, 0.1),
}
"""Lowest score, and width of the range above it, of entities that are named or only described, with
claims or without, of which there is nothing to say. The ranges do not overlap.
"""
FAINTEST = 0.01
"""Highest score of a topic, which nobody declared: every declared entity has more."""

# What full text may say of a text.

LEAST_WORDS = 3
"""A text of fewer words counts as a command or a name and is not searched, unless it holds an
identifier, a ticket, a path or an option.
"""

# What answers a text. `make fit` writes what stands between the two marks.

# fitted
# 2026-11-28
# Fitted to courier, questions, bakery, laboratory, studio, heating, port, newspaper.
BIAS = -6.14
LIKELIHOOD_WEIGHTS = {
    "held": 2.73,
    "missing": -1.25,
    "rivals": -0.99,
    "pairs": 1.26,
    "named": 2.30,
    "section": -1.10,
    "size": -0.15,
    "shared": 4.28,
}
# end of fitted
# fitted semantic
# 2026-11-28
# Fitted to courier, questions, bakery, laboratory, studio, heating, port, newspaper.
BIAS_SEMANTIC = -9.25
LIKELIHOOD_WEIGHTS_SEMANTIC = {
    "held": 1.04,
    "missing": -0.86,
    "rivals": -0.37,
    "pairs": 1.34,
    "named": 1.24,
    "section": -0.31,
    "size": 0.58,
    "shared": 1.08,
    "cosine": 9.23,
    "lead": 4.26,
}
# end of fitted semantic
# fitted edits
# 2026-11-29
# Fitted to edits and commits of pip, click, twenty.
BIAS_EDITS = -2.26
LIKELIHOOD_WEIGHTS_EDITS = {
    "here": 3.16,
    "lead": 9.12,
    "prose": -2.95,
    "named": 2.58,
}
# end of fitted edits
EDIT_LEAST = 0.53
"""Least likelihood at which a claim is told that an edit may break: the least at which at most 15
of 300 commits each to pip and click are told any. 47 of 90 edits are told the claim that they
break; weights and threshold of the two other knowledge bases tell 45, and 12 and 22 commits.
"""
NAME_WORDS = 2
"""For `LIKELIHOOD_WEIGHTS["shared"]`: as how many words a name counts that surely names the entity,
or a tied file that the text names, and how many more than its words a number that names something:
a port, an error code, a time.
"""
BARE_WEIGHT = 0.55
"""If the words of a text beside an entity's name weigh less than this, the text asks for anything
known about the entity.
"""
PASSAGE = -0.20
"""Weight of a passage of a document that nobody worded as a claim. The more passages there are, the
more of them share words with a text by chance. Set on prompts over a base of documents (2,681
claims, where the term is -1.6), asked for: at this value 8 of 15 are right and 3 of 15 that nothing
answers are told something, at -0.30 7 and 3, at 0 9 and 6.
"""
CandidateKind = Literal["worded", "passage", "exchange", "answer"]
"""`worded`: a claim that somebody worded or approved, or a sentence of a page. `passage`: a claim
cut from a document, approved by its receipt alone. `exchange`: a statement of a captured exchange.
`answer`: a statement of an exchange whose question the text asks again.
"""
ASKED_AGAIN = 0.55
"""A question asks a captured one again if it holds this share of its weight…"""
ASKS_MORE = 0.4
"""…and the captured question and its answer together hold this share of the new one's weight: of
less the subject alone is the same.
"""
UNASKED_LEAST: dict[CandidateKind, float] = {"passage": 0.80, "exchange": 0.99}
"""Least likelihood at which a claim that nobody reviewed is volunteered, by its kind; where
somebody asks, `similarity_threshold` is enough. From 0.40 on passages were volunteered wrongly to
more than a third of the prompts that they were volunteered to; what was said in a conversation is
often a guess.
"""
WHO_LIKELIHOOD = 0.08
"""Least likelihood at which a claim about a person or a team answers a text that asks who."""
COMMONNESS = {0: 1.0, 3: 0.8, 2: 0.6, 1: 0.3}
"""Factor of a word by its tier in English, as in `SPECIFICITY`: a word that is rare in a small
knowledge base may be in every other prompt. Numbers, times and names of commands tell as little
about a text's subject as a very common word.
"""
MIN_NUMBER = 3
"""Digits of a number that is a part of an identifier or a code and weighs its rarity alone."""
SIGN_PAIR = 0.5
"""As how many words a pair of signs counts in a script without spaces: it is often half of a
word.
"""
HIRAGANA = 0.15
"""Factor of signs in hiragana, in which Japanese writes endings and particles."""

# What is found by meaning, with a model that was chosen for it. docs/using.md has the figures.

SEMANTIC_LEAST = 0.25
"""Least cosine at which a text is found by meaning alone; unrelated texts are mostly below."""
SEMANTIC_WEIGHT = 0.6
"""Share of the cosine in a hit's score. The rest is the share of the query's words that the hit
holds, which a model does not see.
"""
BESIDE_A_CLAIM = 0.7
"""Factor of an entity's description and of a section beside a claim: they tell less."""

# Who carries a topic.

PARTIAL_SHARE = 0.5
"""If no claim holds all words of a topic: least share of them, weighed by rarity, that a claim must
hold.
"""
LEADS = 2.0
"""Factor of a claim that begins with a word of the topic: it is about it."""

# Limits of work: what lies beyond them changes no answer that a person would miss.

MAX_PHRASED = 4_096
"""Characters of a text that are searched for phrases, and of what an edit put in or took out, that
are compared with claims; names are looked for in all of a text.
"""
SPARE = 4
"""Claims that hold words of a text are chosen from so many times as many."""
MAX_TRIED = 400
"""Claims of a text or a name that are asked whether they may be told, until enough of them may."""
MAX_ASKED = 64
"""Words of a text that are looked up in claims and sections, those that weigh most; words of a
topic.
"""
FEW = 3
"""Claims and pages of a name; ids like one that is missing; people by their claims, authors,
owners; captured questions that a text asks again; sentences of the text that a claim is compared
with, those of which it holds most.
"""
MAX_CONSIDERED = 8
"""Claims (all, and of an entity), sections and passages of a section that are compared with a text,
those that hold most of it; phrases; named entities that a block may have lines for.
"""
MANY = 24
"""Hits of a text; named entities, their relations, ties and identifiers that are looked up;
captured questions that are compared with a text; statements read of one answer.
"""
MAX_PASSAGED = 32_768
"""Characters of a section or a text that are split into passages."""
MAX_SEMANTIC = 5
"""Hits of a search or a probe by meaning alone."""

# Who committed to the files of claims.

COMMIT_HALF_LIFE_DAYS = 1460
"""A commit four years ago counts half as much as one today: who wrote a file long ago may have left
it. Chosen, as the next one, among values tried on 24 topics of pip.
"""
COMMITS_BESIDE = 3.0
"""Commits beside which those to a file are counted: who made its only one may not know it well."""
GENERAL_FILE = 0.2
"""Factor of a changelog, a manifest or a lock file, which everybody changes."""
MAX_PATHS_OF_AUTHOR = 7
"""Files listed for an author; the field `files` counts all of them."""
MAX_CLAIMS_WITH_FILES = 100
"""Claims whose files are looked up for authors and owners; the best by worth."""
