create table concept (
	id          bigint primary key,
	type        bigint not null,
	category    bigint not null,
	owner       bigint not null,
	created     bigint not null, -- milliseconds since 1970
	access      smallint not null,
	composition boolean not null,
	value       text collate "C" not null
);
-- Nearly every concept is an instance (category 4). Types are few; the kind indexes are read only when a type is removed.
create index concept_instance on concept (type, id) where category = 4;
-- Instances that only some users may read. Dropped by a later step.
create index concept_hidden on concept (type, access, owner) where category = 4 and owner <> 999 and access <> 5;
create index concept_kind_type on concept (type) where category <> 4;
create index concept_kind_category on concept (category) where category <> 4;

-- Finds types and shared values by value. Two servers that add the same one meet in the primary key: the second waits until
-- the first has committed.
create table directory (
	hash     uuid not null, -- first 16 bytes of the SHA-256 of the value
	category bigint not null,
	type     bigint not null,
	scope    bigint not null,
	id       bigint not null,
	primary key (hash, category, type, scope)
);

create table connection (
	source  bigint not null,
	type    bigint not null,
	id      bigint not null,
	target  bigint not null,
	owner   bigint not null,
	created bigint not null,
	"order" bigint not null,
	access  smallint not null,
	primary key (source, type, id)
);
create index connection_target on connection (target, type, id);
create index connection_id on connection (id);
create index connection_type on connection (type);

create table sender (
	id         bigint primary key,
	"user"     bigint not null,
	session    text collate "C" not null,
	randomizer bigint not null,
	unique ("user", session, randomizer)
);

-- The records sent under local ids. Local ids are stored as positive numbers, so that new ones are appended.
create table ghost (
	sender     bigint not null,
	connection boolean not null,
	ghost      bigint not null,
	id         bigint not null, -- 0: a skipped connection
	primary key (sender, connection, ghost)
);

create table reserved (
	id         bigint primary key,
	"user"     bigint not null,
	connection boolean,                  -- null: unused
	became     bigint not null default 0 -- id of the record; 0: a skipped connection
);

create table change (
	seq     bigint primary key,
	at      bigint not null,
	touched bytea not null
);

-- The next unused number of each sequence. Servers take ids in blocks.
create table sequence (
	name text collate "C" primary key,
	next bigint not null
) with (fillfactor = 10); -- every commit updates a row; free space lets it stay in its page, so that the index is not touched
insert into sequence values ('id', 100000), ('change', 1), ('kv', 1);

create table identity (name text not null);

create table kv (
	key     bytea primary key, -- bytes, so that the order does not depend on the collation
	value   bytea not null,
	version bigint not null,
	expires bigint             -- milliseconds since 1970; null: never
);
create index kv_expires on kv (expires) where expires is not null;
