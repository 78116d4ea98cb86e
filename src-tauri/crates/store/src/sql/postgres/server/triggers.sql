-- What the triggers of `new_store.sql` do.
CREATE FUNCTION failure_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE failure_group SET open = open + (NEW.state = 'open')::integer, total = total + 1,
    first_ms = least(first_ms, NEW.at_ms), last_ms = greatest(last_ms, NEW.at_ms) WHERE id = NEW.of_group;
  RETURN NULL;
END
$$;
CREATE TRIGGER failure_added AFTER INSERT ON failure FOR EACH ROW EXECUTE FUNCTION failure_added();
CREATE FUNCTION failure_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE failure_group SET open = open + (NEW.state = 'open')::integer - (OLD.state = 'open')::integer
    WHERE id = NEW.of_group;
  RETURN NULL;
END
$$;
CREATE TRIGGER failure_changed AFTER UPDATE OF state ON failure FOR EACH ROW WHEN (OLD.state <> NEW.state)
  EXECUTE FUNCTION failure_changed();
CREATE FUNCTION failure_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE failure_group SET open = open - (OLD.state = 'open')::integer, total = total - 1,
    sample = CASE WHEN total = 1 THEN '' ELSE sample END WHERE id = OLD.of_group;
  DELETE FROM failure_group WHERE id = OLD.of_group AND total = 0
    AND NOT EXISTS (SELECT 1 FROM replay WHERE of_group = OLD.of_group);
  RETURN NULL;
END
$$;
CREATE TRIGGER failure_removed AFTER DELETE ON failure FOR EACH ROW EXECUTE FUNCTION failure_removed();
CREATE FUNCTION failure_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE failure SET state = 'answered' WHERE run = NEW.run AND task = NEW.id AND state = 'open';
  RETURN NULL;
END
$$;
CREATE TRIGGER failure_of_task AFTER UPDATE OF state ON task FOR EACH ROW
  WHEN (OLD.state = 'open' AND NEW.state <> 'open') EXECUTE FUNCTION failure_of_task();
CREATE FUNCTION failure_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM failure WHERE run = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER failure_of_run AFTER DELETE ON run FOR EACH ROW EXECUTE FUNCTION failure_of_run();
-- Names of tokens differ in more than the case of their letters.
CREATE UNIQUE INDEX access_token_name ON access_token (lower(name));
-- Hosts. Whoever lives holds the lock of its number in its session.
CREATE TABLE instance (
  id text COLLATE "C" PRIMARY KEY, number integer GENERATED ALWAYS AS IDENTITY UNIQUE, host text NOT NULL, folder text NOT NULL,
  since timestamptz NOT NULL DEFAULT now()
);
