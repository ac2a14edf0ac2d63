-- The derived state. No migrations: a new stage version causes a rebuild.

CREATE TABLE stages (
  name    TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  cursor  INTEGER NOT NULL,
  -- The log's chain value at the cursor: shows that this is still the same log.
  chain   BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- How many turns of an episode each stage was given and how many rows it made, to find rows that
-- are missing later.
CREATE TABLE coverage (
  episode INTEGER NOT NULL,
  stage   TEXT NOT NULL,
  turns   INTEGER NOT NULL,
  rows    INTEGER NOT NULL,
  PRIMARY KEY (episode, stage)
) STRICT, WITHOUT ROWID;

-- chunk stage -----------------------------------------------------------

-- One row per episode: a summary of its events.
CREATE TABLE runs (
  episode      INTEGER PRIMARY KEY,
  next_seq     INTEGER NOT NULL,
  started      INTEGER,
  ended        INTEGER,
  prompts      INTEGER NOT NULL,
  events       INTEGER NOT NULL,
  title        TEXT,
  first_prompt TEXT,
  prompt_hash  BLOB,
  agent_name   TEXT,
  team         TEXT,
  spawned_by   TEXT,
  forked_from  TEXT,
  first_parent TEXT
) STRICT;

CREATE TABLE turns (
  episode   INTEGER NOT NULL,
  turn      INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  parent    INTEGER,
  active    INTEGER NOT NULL,
  PRIMARY KEY (episode, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
  -- Derived from its unique place, so unique itself.
  id        BLOB NOT NULL,
  episode   INTEGER NOT NULL,
  turn      INTEGER NOT NULL,
  ord       INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq  INTEGER NOT NULL,
  started   INTEGER,
  ended     INTEGER,
  tokens    INTEGER NOT NULL,
  -- Project and program of a session's main agent; absent for sub-agents.
  lane      INTEGER,
  -- Its first event: a chunk always has evidence.
  first_event BLOB NOT NULL,
  body      BLOB NOT NULL
) STRICT;
-- Covers what a list of clusters reads of every chunk: rows with a body are far apart.
CREATE INDEX chunks_by_id ON chunks (id, episode, started, ended);
CREATE UNIQUE INDEX chunks_by_place ON chunks (episode, turn, ord);
CREATE INDEX chunks_by_lane ON chunks (lane, started, episode) WHERE lane IS NOT NULL;

-- Host record id -> the turn that holds it, for parents, forks and titles.
CREATE TABLE records (
  record  BLOB NOT NULL,
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  PRIMARY KEY (record, episode)
) STRICT, WITHOUT ROWID;

-- Places where one run touches another: spawns, reports, messages, titles.
CREATE TABLE anchors (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  event   BLOB NOT NULL,
  kind    TEXT NOT NULL,
  chunk   BLOB,
  time    INTEGER,
  key     TEXT,
  name    TEXT,
  team    TEXT,
  digest  BLOB,
  task    TEXT,
  PRIMARY KEY (episode, turn, event, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX anchors_by_kind ON anchors (kind, episode);

-- graph stage -----------------------------------------------------------

CREATE TABLE edges (
  source   BLOB NOT NULL,
  target   BLOB NOT NULL,
  kind     TEXT NOT NULL,
  weight   REAL NOT NULL,
  evidence BLOB NOT NULL,
  -- What the edge is recomputed with: the episode and turn of its target for
  -- chain edges, 'session …' for edges between its runs, 'into …' for the edge
  -- from an earlier session.
  owner    TEXT NOT NULL,
  PRIMARY KEY (source, target, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_backward ON edges (target);
CREATE INDEX edges_by_owner ON edges (owner);

-- Who each sub-agent's run is, and what started it.
CREATE TABLE agents (
  episode     INTEGER PRIMARY KEY,
  name        TEXT NOT NULL,
  team        TEXT,
  parent      INTEGER,
  spawn_chunk BLOB,
  task        TEXT
) STRICT;

-- links stage -----------------------------------------------------------

-- Which intent had which consequence. Texts are spans of their events.
CREATE TABLE causal_links (
  id                       TEXT PRIMARY KEY,
  session_id               TEXT NOT NULL,
  actor                    TEXT NOT NULL,
  intent_text              TEXT NOT NULL,
  intent_type              TEXT NOT NULL,
  intent_strength          TEXT NOT NULL,
  intent_anchor_index      INTEGER NOT NULL,
  consequence_text         TEXT,
  consequence_type         TEXT,
  consequence_anchor_index INTEGER,
  distance                 INTEGER,
  score                    REAL,
  claimed                  INTEGER NOT NULL,
  -- The time of the intent; 0 if unknown.
  created_at_ms            INTEGER NOT NULL,
  episode                  INTEGER NOT NULL,
  turn                     INTEGER NOT NULL,
  line_gap                 INTEGER,
  -- The parts of the score: a JSON object.
  score_parts              TEXT,
  intent_evidence          TEXT NOT NULL,
  consequence_evidence     TEXT,
  kernel                   TEXT NOT NULL,
  kernel_version           INTEGER NOT NULL,
  -- The kernel's options: a JSON object.
  kernel_params            TEXT NOT NULL
) STRICT;
CREATE INDEX idx_causal_links_session ON causal_links (session_id);
CREATE INDEX idx_causal_links_session_actor ON causal_links (session_id, actor);
CREATE INDEX idx_causal_links_strength ON causal_links (session_id, intent_strength);
CREATE INDEX causal_links_by_place ON causal_links (episode, intent_anchor_index);

-- Outcomes: how calls ended, what a person said about the work.
CREATE TABLE outcomes (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  basis   TEXT NOT NULL,
  event   BLOB NOT NULL,
  -- The call, or the prompt that is confirmed or corrected.
  about   BLOB NOT NULL,
  -- The test runner.
  runner  TEXT,
  PRIMARY KEY (episode, seq, kind)
) STRICT, WITHOUT ROWID;

-- Calls with which an agent notes what is still to be done.
CREATE TABLE task_notes (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  event   BLOB NOT NULL,
  PRIMARY KEY (episode, seq)
) STRICT, WITHOUT ROWID;

-- cards stage -----------------------------------------------------------

-- What episodes add to card sets: JSON.
CREATE TABLE card_findings (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  ord     INTEGER NOT NULL,
  project BLOB NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (episode, turn, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX card_findings_by_project ON card_findings (project);

-- The same of whole cases; the turn is the first of the case.
CREATE TABLE case_findings (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  ord     INTEGER NOT NULL,
  project BLOB NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (episode, turn, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_findings_by_project ON case_findings (project);

-- Cards: computed from the findings of a scope and from judgements about its cards. Rows are too
-- long for a table without row numbers: to find one, SQLite would read every row that it
-- compares with completely.
CREATE TABLE cards (
  id     BLOB NOT NULL PRIMARY KEY,
  tier   TEXT NOT NULL,
  scope  TEXT NOT NULL,
  kind   TEXT NOT NULL,
  status TEXT NOT NULL,
  topic  TEXT NOT NULL,
  -- Does it rest on other cards?
  rests  INTEGER NOT NULL,
  body   TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT;
CREATE INDEX resting_cards ON cards (id) WHERE rests;
CREATE INDEX cards_by_scope ON cards (tier, scope, status);

CREATE TABLE card_ledger (
  tier    TEXT NOT NULL,
  scope   TEXT NOT NULL,
  ord     INTEGER NOT NULL,
  episode INTEGER,
  card    BLOB,
  body    TEXT NOT NULL,
  PRIMARY KEY (tier, scope, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX card_ledger_by_card ON card_ledger (card);

-- Which cards were shown to which sessions of hosts.
CREATE TABLE exposed_sessions (
  session TEXT NOT NULL,
  card    BLOB NOT NULL,
  PRIMARY KEY (session, card)
) STRICT, WITHOUT ROWID;

-- Scopes whose cards are recomputed at the end of a refresh.
CREATE TABLE stale_cards (
  tier  TEXT NOT NULL,
  scope TEXT NOT NULL,
  PRIMARY KEY (tier, scope)
) STRICT, WITHOUT ROWID;

-- Commands that check, build or run something, with their diagnostics, and edits of files. Small
-- JSON, so that the fate of an error is found without reading the session again.
CREATE TABLE check_runs (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (episode, turn, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE check_edits (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (episode, turn, seq)
) STRICT, WITHOUT ROWID;

-- Failures of an episode and how they ended: JSON.
CREATE TABLE failures (
  episode  INTEGER NOT NULL,
  ord      INTEGER NOT NULL,
  project  BLOB NOT NULL,
  -- Fingerprints of the diagnostic and of its rule.
  fingerprint BLOB NOT NULL,
  rule     BLOB,
  resolved INTEGER NOT NULL,
  body     TEXT NOT NULL,
  PRIMARY KEY (episode, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX failures_by_fingerprint ON failures (fingerprint, project);
CREATE INDEX failures_by_rule ON failures (rule, project) WHERE rule IS NOT NULL;

-- Calls that wrote a file, found by the file's base name.
CREATE TABLE edits (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  path    TEXT NOT NULL,
  base    TEXT NOT NULL,
  PRIMARY KEY (episode, turn, seq, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX edits_by_name ON edits (base);

-- Words of actions for which a card must be checked. The scope is a project's id; empty for
-- cards of wider scopes.
CREATE TABLE card_prohibitions (
  word  TEXT NOT NULL,
  scope TEXT NOT NULL,
  card  BLOB NOT NULL,
  PRIMARY KEY (word, scope, card)
) STRICT, WITHOUT ROWID;
CREATE INDEX card_prohibitions_by_scope ON card_prohibitions (scope);

-- cases stage -----------------------------------------------------------

-- Pieces of work: a request with its follow-ups. The body is JSON; texts are spans of
-- their events.
CREATE TABLE cases (
  episode    INTEGER NOT NULL,
  first_turn INTEGER NOT NULL,
  last_turn  INTEGER NOT NULL,
  id         BLOB NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (episode, first_turn)
) STRICT;
CREATE INDEX cases_by_id ON cases (id);
-- Which turn belongs to which case, without reading bodies.
CREATE INDEX cases_by_place ON cases (episode, first_turn, last_turn);

-- Commits that cases made.
CREATE TABLE case_commits (
  episode    INTEGER NOT NULL,
  first_turn INTEGER NOT NULL,
  hash       TEXT NOT NULL,
  subject    TEXT NOT NULL,
  PRIMARY KEY (episode, first_turn, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_commits_by_hash ON case_commits (hash);
CREATE INDEX case_commits_by_subject ON case_commits (subject);

-- index stage -----------------------------------------------------------

-- Which part of the files in views/index is valid. A new generation has new files.
CREATE TABLE index_state (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  generation INTEGER NOT NULL,
  docs       INTEGER NOT NULL,
  -- Passages that are not gone, and how many terms they have in each field.
  live       INTEGER NOT NULL,
  content    INTEGER NOT NULL,
  place      INTEGER NOT NULL,
  tail       INTEGER NOT NULL,
  output     INTEGER NOT NULL,
  thinking   INTEGER NOT NULL
) STRICT;

CREATE TABLE index_files (
  name     TEXT PRIMARY KEY,
  -- The length of the valid part.
  bytes    INTEGER NOT NULL,
  -- CRC-32 of those bytes, continued by each append.
  checksum INTEGER NOT NULL,
  -- When it was last written. While that is unchanged, no checksum is computed.
  written  INTEGER
) STRICT, WITHOUT ROWID;

-- When all views were last compared with each other and with their checksums.
CREATE TABLE checked (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  at  INTEGER NOT NULL
) STRICT;

CREATE TABLE index_segments (
  first INTEGER PRIMARY KEY,
  until INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;

-- Vectors of one model each, never mixed.
CREATE TABLE index_vectors (
  model TEXT PRIMARY KEY,
  dim   INTEGER NOT NULL,
  docs  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which passages a chunk has.
CREATE TABLE passages (
  episode INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  ord     INTEGER NOT NULL,
  chunk   BLOB NOT NULL,
  first   INTEGER NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (episode, turn, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX passages_by_chunk ON passages (chunk);

-- Passages whose chunk was replaced.
CREATE TABLE gone_docs (doc INTEGER PRIMARY KEY) STRICT;

-- clusters --------------------------------------------------------------

-- Computed now and then, not folded: new chunks only join. Empty until clusters were computed.
CREATE TABLE cluster_state (
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  -- The model of the vectors, and the number of chunks at that time.
  model  TEXT NOT NULL,
  chunks INTEGER NOT NULL,
  -- Passages up to this number were compared with the clusters.
  docs   INTEGER NOT NULL
) STRICT;

CREATE TABLE clusters (
  id       INTEGER PRIMARY KEY,
  label    TEXT NOT NULL,
  size     INTEGER NOT NULL,
  reach    REAL NOT NULL,
  centroid BLOB NOT NULL
) STRICT;

-- The chunk may have been replaced since: readers join against chunks.
CREATE TABLE cluster_members (
  chunk    BLOB PRIMARY KEY,
  cluster  INTEGER NOT NULL,
  distance REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cluster_members_by_distance ON cluster_members (cluster, distance);
