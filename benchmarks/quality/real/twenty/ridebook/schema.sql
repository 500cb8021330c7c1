-- Ridebook. One row per event of a ride.
create table ride_events (
    id           bigint generated always as identity,
    ride_id      uuid not null,
    bike         text not null,
    dock         text,
    kind         text not null check (kind in ('start', 'position', 'end', 'swept')),
    at           timestamptz not null,
    position     point,
    primary key (id, at)
) partition by range (at);

create index ride_events_ride on ride_events (ride_id, at);

create view open_rides as
select ride_id, min(at) as started
from ride_events
group by ride_id
having not bool_or(kind in ('end', 'swept'));
