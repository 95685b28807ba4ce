-- The size of each type. Connections that are internal to a composition are not counted.
create table size (
	type      integer primary key,
	instances integer not null,
	empty     integer not null, -- instances whose value is empty
	hidden    integer not null, -- instances in a scope other than 0
	links     integer not null
);
-- The hidden instances by scope.
create table hidden (
	type      integer not null,
	scope     integer not null,
	instances integer not null,
	primary key (type, scope)
) without rowid;
insert into size select type, sum(instances), 0, 0, sum(links) from (
	select type, count(*) instances, 0 links from concept where category = 4 group by type
	union all
	select type, 0, links from (select type, count(*) links from connection group by type) l
		where (select not composition from concept c where c.id = l.type)
) group by type;
update size set empty = of.n from (
	select type, count(*) n from concept not indexed where category = 4 and value = '' group by type
) of where of.type = size.type;
insert into hidden select type, iif(access = 3, -1, owner), count(*) from concept
	where category = 4 and owner <> 999 and access <> 5 group by 1, 2;
update size set hidden = ifnull((select sum(instances) from hidden where hidden.type = size.type), 0);
drop index concept_hidden;

-- Indexes of instances with a value: value_key by graph.Key, cut to 96 bytes; value_text by the trigrams of graph.Fold. The
-- column type of value_text holds three characters that encode the type, so that a search includes it.
create table value_key (
	type  integer not null,
	key   blob not null,
	id    integer not null,
	scope integer not null,
	primary key (type, key, id)
) without rowid;
create virtual table value_text using fts5(value, type, content = '', contentless_delete = 1, detail = none,
	tokenize = 'trigram case_sensitive 1');
create virtual table value_term using fts5vocab(value_text, row);
-- Both have every instance up to this id, except those in waiting.
create table indexed (upto integer not null);
insert into indexed values (0);
create table waiting (
	type integer not null,
	id   integer not null,
	primary key (type, id)
) without rowid;
