-- The sender of the writes (session, randomizer), and the user and store to which they belong (user, store).
CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Writes that the server has not committed yet, in the order of their keys. Keys are never reused.
CREATE TABLE IF NOT EXISTS write (
	key INTEGER PRIMARY KEY AUTOINCREMENT,
	created INTEGER NOT NULL, -- milliseconds since 1970
	request BLOB NOT NULL,    -- JSON of a wire.Sync
	failure BLOB              -- JSON of a failure; NULL while the write is pending
);

-- The real ids that replaced local ids.
CREATE TABLE IF NOT EXISTS id (local INTEGER PRIMARY KEY, real INTEGER NOT NULL);

-- The cache: records that were read or written, for reads while the server cannot be reached.
CREATE TABLE IF NOT EXISTS concept (id INTEGER PRIMARY KEY, record BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS connection (id INTEGER PRIMARY KEY, source INTEGER NOT NULL, target INTEGER NOT NULL, type INTEGER NOT NULL, record BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS connection_source ON connection (source, type);
CREATE INDEX IF NOT EXISTS connection_target ON connection (target, type);

-- Lists of connections that are cached completely. A list contains the connections of one type at one concept in one direction.
CREATE TABLE IF NOT EXISTS list (of INTEGER NOT NULL, direction INTEGER NOT NULL, type INTEGER NOT NULL, PRIMARY KEY (of, direction, type)) WITHOUT ROWID;

-- Ids of types by their names.
CREATE TABLE IF NOT EXISTS type (name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
