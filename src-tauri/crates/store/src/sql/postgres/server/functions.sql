-- What statements use of SQLite and PostgreSQL does not have.
CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT greatest($1, $2)';
CREATE FUNCTION max(bigint, bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT greatest($1, $2, $3)';
CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT least($1, $2)';
CREATE AGGREGATE sum(bigint) (SFUNC = int8pl, STYPE = bigint);
CREATE FUNCTION substr(text, integer) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT CASE WHEN $2 < 0 THEN right($1, -$2) ELSE pg_catalog.substr($1, $2) END';
CREATE FUNCTION hex(bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT upper(encode($1, ''hex''))';
CREATE FUNCTION randomblob(integer) RETURNS bytea LANGUAGE sql VOLATILE STRICT
  AS 'SELECT substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for $1)';
-- Whether a folded text stands in one of the others.
CREATE FUNCTION holds(wanted text, VARIADIC texts text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT EXISTS (SELECT 1 FROM unnest(texts) AS given (one)
    WHERE strpos(replace(lower(one COLLATE "{letters}"), 'ς', 'σ') COLLATE "C", wanted) > 0)
$$;
-- A place in a document: `$.a.b` is {a,b}.
CREATE FUNCTION json_place(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT string_to_array(pg_catalog.substr($1, 3), ''.'')';
CREATE FUNCTION json_member(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT $1::json #>> json_place($2)';
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_member);
CREATE FUNCTION json_type(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT json_typeof($1::json #> json_place($2))';
CREATE FUNCTION json_array_length(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE json_typeof($1::json #> json_place($2))
    WHEN 'array' THEN pg_catalog.json_array_length($1::json #> json_place($2)) ELSE 0 END
    WHERE $1::json #> json_place($2) IS NOT NULL
$$;
CREATE FUNCTION json_valid(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  PERFORM $1::json;
  RETURN true;
EXCEPTION WHEN others THEN
  RETURN false;
END
$$;
-- Numbers of a list.
CREATE FUNCTION json_each(text) RETURNS TABLE (value bigint) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT one::bigint FROM json_array_elements_text($1::json) AS one';
-- Members of an object in a document.
CREATE FUNCTION json_each(text, text) RETURNS TABLE (key text, value text, type text)
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT one.key, one.value #>> '{}', CASE json_typeof(one.value) WHEN 'string' THEN 'text' ELSE json_typeof(one.value) END
    FROM pg_catalog.json_each(CASE json_typeof($1::json #> json_place($2)) WHEN 'object' THEN $1::json #> json_place($2) ELSE '{}' END)
      AS one
$$;
-- An audit entry without its links, number and time, as it is searched: its members are in the order of their names.
CREATE FUNCTION json_remove(text, VARIADIC text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace($1, '"prevHash":"[0-9a-f]{64}",?|"timestamp":"[0-9T:.Z+-]+",?|"logId":"[0-9a-f]+",?|"(seq|v)":[0-9]+,?', '', 'g')
$$;
