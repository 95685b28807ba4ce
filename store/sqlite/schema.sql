create table concept (
	id          integer primary key,
	type        integer not null,
	category    integer not null,
	value       text,             -- null: too long to stand here, see text
	owner       integer not null,
	access      integer not null,
	composition integer not null,
	created     integer not null  -- milliseconds since 1970
);
-- Nearly every concept is an instance, category 4; types are few, and asked about only when one is removed.
create index concept_instance on concept (type) where category = 4;
-- What not everybody may read, so that counting the rest takes no look at each.
create index concept_hidden on concept (type, access, owner) where category = 4 and owner <> 999 and access <> 5;
create index concept_kind_type on concept (type) where category <> 4;
create index concept_kind_category on concept (category) where category <> 4;

create table text (
	id    integer primary key,
	value text not null
);

-- Finds types and shared values by value. What it says is true of concept as well, so that a statement
-- that adds to it learns whether the value is new.
create table directory (
	hash     blob not null,    -- of the value
	category integer not null,
	type     integer not null,
	scope    integer not null,
	id       integer not null,
	primary key (hash, category, type, scope)
) without rowid;

-- A walk reads neighbours that lie side by side, outwards here and inwards in connection_target.
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

-- What became of what was sent. Ghosts stand here positive and therefore in the order they are invented.
create table ghost (
	sender     integer not null,
	connection integer not null, -- 0: the ghost of a concept, 1: of a connection
	ghost      integer not null,
	id         integer not null, -- 0: a connection that was skipped
	primary key (sender, connection, ghost)
) without rowid;

create table change (
	seq     integer primary key,
	at      integer not null,
	touched blob not null
);

-- The next number to give away. Writers take ids in blocks, so several could share one store.
create table sequence (
	name text primary key,
	next integer not null
) without rowid;
insert into sequence values ('id', 100000), ('change', 1);
