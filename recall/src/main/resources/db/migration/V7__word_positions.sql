-- Words keep their places, and are told by which analysis they were made: what an older one made is made anew, bit by
-- bit, behind everything else. '' is all that was before there was a mark.
alter table memory add column analysis text not null default '' check (length(analysis) <= 100);

-- Whose stems and stop words the words have.
alter table memory add column language text not null default 'en' check (length(language) between 2 and 20);
