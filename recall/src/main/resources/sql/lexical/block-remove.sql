-- $1 owner, $2 project, $3 first position
delete from word_block where owner = $1 and project = $2 and first_position = $3
