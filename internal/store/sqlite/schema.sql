create table concept (
	id          integer primary key,
	type        integer not null,
	category    integer not null,
	value       text,             -- null: a long value, in the table text
	owner       integer not null,
	access      integer not null,
	composition integer not null,
	created     integer not null  -- milliseconds since 1970
);
-- Nearly every concept is an instance (category 4). Types are few; the kind indexes are read only when a type is removed.
create index concept_instance on concept (type) where category = 4;
-- Instances that only some users may read. Dropped in select.sql.
create index concept_hidden on concept (type, access, owner) where category = 4 and owner <> 999 and access <> 5;
create index concept_kind_type on concept (type) where category <> 4;
create index concept_kind_category on concept (category) where category <> 4;

create table text (
	id    integer primary key,
	value text not null
);

-- Finds types and shared values by value. It repeats columns of concept, so that one insert finds out whether a value is new.
create table directory (
	hash     blob not null,    -- first 16 bytes of the SHA-256 of the value
	category integer not null,
	type     integer not null,
	scope    integer not null,
	id       integer not null,
	primary key (hash, category, type, scope)
) without rowid;

-- The connections at a concept are adjacent: outwards in this table, inwards in connection_target.
create table connection (
	source  integer not null,
	type    integer not null,
	id      integer not null,
	target  integer not null,
	"order" integer not null,
	owner   integer not null,
	access  integer not null,
	created integer not null,
	primary key (source, type, id)
) without rowid;
create index connection_target on connection (target, type, id, source, "order", owner, access, created);
create unique index connection_id on connection (id);
create index connection_type on connection (type, id);

create table sender (
	id         integer primary key,
	user       integer not null,
	session    text not null,
	randomizer integer not null,
	unique (user, session, randomizer)
);

-- The records sent under local ids. Local ids are stored as positive numbers, so that new ones are appended.
create table ghost (
	sender     integer not null,
	connection integer not null, -- 0: local id of a concept, 1: of a connection
	ghost      integer not null,
	id         integer not null, -- 0: a skipped connection
	primary key (sender, connection, ghost)
) without rowid;

create table change (
	seq     integer primary key,
	at      integer not null,
	touched blob not null
);

-- The next unused number of each sequence. The writer takes ids in blocks.
create table sequence (
	name text primary key,
	next integer not null
) without rowid;
insert into sequence values ('id', 100000), ('change', 1);
