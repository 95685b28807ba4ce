-- The indexes *_scope are for readers who see some scopes, the others for those who see all. See scope.go.
create index concept_type_scope on concept (type, scope) where category = 4;

create index connection_source_scope on connection (source, scope, type, id);
create index connection_target_scope on connection (target, scope, type, id, source, "order", owner, access, created);
create index connection_type_scope on connection (type, scope, id);
drop index connection_type;
drop index connection_target;
create index connection_target on connection (target, type, id);
drop table scoped;

alter table size add column hidden_links integer not null default 0; -- links in a scope other than 0
alter table hidden add column links integer not null default 0;
insert into hidden (type, scope, instances, links) select l.type, l.scope, 0, l.n
	from (select type, scope, count(*) n from connection where scope <> 0 group by type, scope) l
	where (select not composition from concept c where c.id = l.type)
	on conflict (type, scope) do update set links = excluded.links;
update size set hidden_links = ifnull((select sum(links) from hidden where hidden.type = size.type), 0);

create table scoped_key (
	type  integer not null,
	scope integer not null,
	key   blob not null,
	id    integer not null,
	primary key (type, scope, key, id)
) without rowid;
insert into scoped_key select type, scope, key, id from value_key order by type, scope, key, id;
drop table value_key;
alter table scoped_key rename to value_key;
create index value_key_hidden on value_key (type, key, id) where scope <> 0;
