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
-- Nearly every concept is an instance, category 4; types are few, and asked about only when one is removed.
create index concept_instance on concept (type, id) where category = 4;
-- What not everybody may read, so that counting the rest takes no look at each.
create index concept_hidden on concept (type, access, owner) where category = 4 and owner <> 999 and access <> 5;
create index concept_kind_type on concept (type) where category <> 4;
create index concept_kind_category on concept (category) where category <> 4;

-- Finds types and shared values by value, and keeps them apart: whoever adds one that another server is
-- just adding waits for that one's end here.
create table directory (
	hash     uuid not null, -- sixteen bytes, of the value
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

-- What became of what was sent. Ghosts stand here positive and therefore in the order they are invented.
create table ghost (
	sender     bigint not null,
	connection boolean not null,
	ghost      bigint not null,
	id         bigint not null, -- 0: a connection that was skipped
	primary key (sender, connection, ghost)
);

create table reserved (
	id         bigint primary key,
	"user"     bigint not null,
	connection boolean,                  -- null: nothing was sent under it
	became     bigint not null default 0 -- what that is; 0: a connection that was skipped
);

create table change (
	seq     bigint primary key,
	at      bigint not null,
	touched bytea not null
);

-- The next number to give away. Writers take ids in blocks.
create table sequence (
	name text collate "C" primary key,
	next bigint not null
) with (fillfactor = 10); -- each commit writes here; room to do so without touching the index
insert into sequence values ('id', 100000), ('change', 1), ('kv', 1);

create table identity (name text not null);

create table kv (
	key     bytea primary key, -- bytes, so that their order is that of bytes wherever the database is
	value   bytea not null,
	version bigint not null,
	expires bigint             -- milliseconds since 1970; null: never
);
create index kv_expires on kv (expires) where expires is not null;
