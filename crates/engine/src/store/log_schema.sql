-- The log: ground truth, append-only. docs/log-format.md explains every column.

CREATE TABLE projects (
  id          BLOB NOT NULL,
  path        TEXT NOT NULL,
  root_commit TEXT,
  remote      TEXT,
  UNIQUE (id, path)
) STRICT;

CREATE TABLE episodes (
  num     INTEGER PRIMARY KEY,
  id      BLOB NOT NULL UNIQUE,
  source  TEXT NOT NULL,
  session TEXT NOT NULL,
  agent   TEXT,
  project BLOB NOT NULL
) STRICT;
CREATE INDEX episodes_by_session ON episodes (session);

CREATE TABLE events (
  pos     INTEGER PRIMARY KEY,
  id      BLOB NOT NULL UNIQUE,
  episode INTEGER NOT NULL REFERENCES episodes (num),
  seq     INTEGER NOT NULL,
  kind    INTEGER NOT NULL,
  time    INTEGER,
  payload BLOB,
  hash    BLOB NOT NULL,
  chain   BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_by_episode ON events (episode, seq);

CREATE TABLE artifacts (
  id      BLOB NOT NULL UNIQUE,
  path    TEXT NOT NULL,
  payload BLOB
) STRICT;

-- Bookkeeping of the readers. It moves in the same transaction as the events
-- it accounts for; it is not part of the record and may change.
CREATE TABLE cursors (
  path         TEXT PRIMARY KEY,
  format       TEXT NOT NULL,
  size         INTEGER NOT NULL,
  mtime_ns     INTEGER NOT NULL,
  offset       INTEGER NOT NULL,
  line         INTEGER NOT NULL,
  prefix_check BLOB NOT NULL,
  state        TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE problems (
  path    TEXT NOT NULL,
  line    INTEGER,
  skipped INTEGER NOT NULL,
  reason  TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX problems_once ON problems (path, coalesce(line, 0), reason);

-- What was seen at the places of projects, the newest last: by this a place is recognised.
CREATE TABLE sightings (
  path        TEXT NOT NULL,
  project     BLOB NOT NULL,
  root_commit TEXT,
  remote      TEXT,
  mark        TEXT
) STRICT;

-- Nothing in the record changes or goes. The one exception: a payload may be
-- blanked on request, with everything else of its row untouched.
CREATE TRIGGER events_are_kept BEFORE DELETE ON events
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_are_not_replaced BEFORE INSERT ON events
WHEN NEW.pos <= (SELECT max(pos) FROM events)
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_are_final BEFORE UPDATE ON events
WHEN NEW.payload IS NOT NULL OR NEW.pos IS NOT OLD.pos OR NEW.id IS NOT OLD.id
  OR NEW.episode IS NOT OLD.episode OR NEW.seq IS NOT OLD.seq OR NEW.kind IS NOT OLD.kind
  OR NEW.time IS NOT OLD.time OR NEW.hash IS NOT OLD.hash OR NEW.chain IS NOT OLD.chain
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;

CREATE TRIGGER artifacts_are_kept BEFORE DELETE ON artifacts
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;
CREATE TRIGGER artifacts_are_final BEFORE UPDATE ON artifacts
WHEN NEW.payload IS NOT NULL OR NEW.id IS NOT OLD.id
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;

CREATE TRIGGER episodes_are_kept BEFORE DELETE ON episodes
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;
CREATE TRIGGER episodes_are_final BEFORE UPDATE ON episodes
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;

CREATE TRIGGER projects_are_kept BEFORE DELETE ON projects
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;
CREATE TRIGGER projects_are_final BEFORE UPDATE ON projects
BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END;
