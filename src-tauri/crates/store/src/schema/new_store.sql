-- The tables of a new store: what the migrations make of an empty file. Generated: `cargo xtask gen`.
CREATE TABLE run (
            id TEXT PRIMARY KEY NOT NULL, workflow_id TEXT NOT NULL, workflow_name TEXT NOT NULL,
            definition_hash TEXT NOT NULL, status TEXT NOT NULL, owner TEXT, epoch INTEGER NOT NULL,
            parent_run_id TEXT, started_ms INTEGER NOT NULL, ended_ms INTEGER, last_seq INTEGER NOT NULL,
            nodes_seq INTEGER NOT NULL DEFAULT 0, failed_step TEXT, error_code TEXT, error_message TEXT,
            client_run_token TEXT, started_by TEXT
          , person TEXT, no INTEGER, trace TEXT, trial INTEGER NOT NULL DEFAULT 0, workspace TEXT, handed_to TEXT) STRICT, WITHOUT ROWID;
CREATE INDEX run_newest ON run (started_ms, id);
CREATE INDEX run_of_workflow ON run (workflow_id, started_ms, id);
CREATE INDEX run_by_status ON run (status, started_ms, id);
CREATE INDEX run_unfinished ON run (owner) WHERE ended_ms IS NULL;
CREATE TABLE blob (hash TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE blob_use (run TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run, hash)) STRICT, WITHOUT ROWID;
CREATE INDEX blob_use_by_hash ON blob_use (hash);
CREATE TABLE definition (hash TEXT PRIMARY KEY NOT NULL, check_hash TEXT NOT NULL, text TEXT NOT NULL) STRICT;
CREATE TABLE run_snapshot (
            run TEXT NOT NULL, seq INTEGER NOT NULL, version INTEGER NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL,
            blobs TEXT, UNIQUE (run, seq)
          ) STRICT;
CREATE TABLE run_summary (run TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL, blobs TEXT) STRICT;
CREATE TABLE run_input (
            id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, body TEXT NOT NULL, consumed INTEGER NOT NULL DEFAULT 0
          ) STRICT;
CREATE INDEX run_input_of_run ON run_input (run, consumed, id);
CREATE TABLE run_node (run TEXT NOT NULL, node TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (run, node)) STRICT, WITHOUT ROWID;
CREATE TABLE run_deleted (run TEXT PRIMARY KEY NOT NULL, purged INTEGER NOT NULL DEFAULT 0, no INTEGER) STRICT, WITHOUT ROWID;
CREATE INDEX run_deleted_unfinished ON run_deleted (run) WHERE purged = 0;
CREATE TABLE setting (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE folder_grant (
            folder TEXT NOT NULL, workflow_id TEXT NOT NULL, writable INTEGER NOT NULL, library INTEGER NOT NULL,
            PRIMARY KEY (folder, workflow_id)
          ) STRICT, WITHOUT ROWID;
CREATE TABLE draft (reference TEXT PRIMARY KEY NOT NULL, document TEXT NOT NULL, saved_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE task (
            id TEXT PRIMARY KEY NOT NULL, run TEXT NOT NULL, workflow_id TEXT NOT NULL, workflow_name TEXT NOT NULL,
            step TEXT NOT NULL, node TEXT NOT NULL, node_title TEXT, path TEXT, item INTEGER, visit INTEGER NOT NULL,
            attempt INTEGER NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, state TEXT NOT NULL,
            revision INTEGER NOT NULL, title TEXT NOT NULL, severity TEXT NOT NULL, priority INTEGER NOT NULL,
            fingerprint TEXT NOT NULL, cases INTEGER NOT NULL, error_type TEXT, error_code TEXT, error_message TEXT,
            actions TEXT NOT NULL, candidate_groups TEXT NOT NULL, assignee TEXT, claimed_by TEXT, claim_until INTEGER,
            snoozed_until INTEGER, created_ms INTEGER NOT NULL, expires_ms INTEGER, escalates INTEGER NOT NULL,
            remind_ms INTEGER, reminders INTEGER NOT NULL, due_ms INTEGER, level INTEGER NOT NULL, decided_by TEXT,
            decided_ms INTEGER, action TEXT, request_id TEXT, driven INTEGER NOT NULL DEFAULT 0
          , min_approvals INTEGER NOT NULL DEFAULT 1, no_self INTEGER NOT NULL DEFAULT 0, approvals INTEGER NOT NULL DEFAULT 0, held_ms INTEGER, remaining_ms INTEGER, waited_ms INTEGER NOT NULL DEFAULT 0, remind_at TEXT NOT NULL DEFAULT '', reopens TEXT, reopened_run TEXT) STRICT;
CREATE INDEX task_open ON task (priority DESC, created_ms, id) WHERE state = 'open';
CREATE INDEX task_closed ON task (decided_ms DESC, id DESC) WHERE state <> 'open';
CREATE INDEX task_newest ON task (created_ms DESC, id DESC);
CREATE INDEX task_of_run ON task (run, state);
CREATE INDEX task_same ON task (fingerprint, state);
CREATE INDEX task_due ON task (due_ms) WHERE state = 'open' AND due_ms IS NOT NULL;
CREATE TABLE task_body (task TEXT NOT NULL, part TEXT NOT NULL, body TEXT NOT NULL, blobs TEXT, PRIMARY KEY (task, part)) STRICT;
CREATE TABLE task_history (
            id INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, at_ms INTEGER NOT NULL, by TEXT NOT NULL,
            what TEXT NOT NULL, text TEXT
          ) STRICT;
CREATE INDEX task_history_of_task ON task_history (task, id);
CREATE TABLE task_token (
            hash TEXT PRIMARY KEY NOT NULL, task TEXT NOT NULL, revision INTEGER NOT NULL, expires_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
CREATE INDEX task_token_of_task ON task_token (task);
CREATE TABLE audit_entry (
            seq INTEGER PRIMARY KEY, entry TEXT NOT NULL, hash TEXT NOT NULL, signature TEXT, run_id TEXT NOT NULL,
            node_id TEXT NOT NULL, event TEXT NOT NULL, level TEXT NOT NULL, actor_type TEXT NOT NULL, actor_id TEXT,
            error_type TEXT, ts INTEGER NOT NULL, ts_high INTEGER NOT NULL, dedupe TEXT
          ) STRICT;
CREATE UNIQUE INDEX audit_dedupe ON audit_entry (dedupe) WHERE dedupe IS NOT NULL;
CREATE TABLE audit_checkpoint (
            cp_seq INTEGER PRIMARY KEY, size INTEGER NOT NULL, checkpoint TEXT NOT NULL, frontier TEXT NOT NULL
          ) STRICT;
CREATE TABLE audit_meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX run_input_pending ON run_input (run) WHERE consumed = 0;
CREATE INDEX task_deadline ON task (coalesce(expires_ms, 9223372036854775807), created_ms, id)
            WHERE state = 'open';
CREATE TABLE task_vote (
            task TEXT NOT NULL, person TEXT NOT NULL, at_ms INTEGER NOT NULL, via TEXT NOT NULL, notes TEXT,
            behalf TEXT, request_id TEXT, PRIMARY KEY (task, person)
          ) STRICT, WITHOUT ROWID;
CREATE TABLE delegation (
            id TEXT PRIMARY KEY NOT NULL, giver TEXT NOT NULL, taker TEXT NOT NULL, starts_ms INTEGER NOT NULL,
            ends_ms INTEGER NOT NULL, workflow_id TEXT, notes TEXT, made_by TEXT NOT NULL, made_ms INTEGER NOT NULL
          ) STRICT;
CREATE INDEX delegation_of_giver ON delegation (giver, ends_ms);
CREATE INDEX delegation_of_taker ON delegation (taker, ends_ms);
CREATE VIRTUAL TABLE audit_text USING fts5(words, content='', contentless_delete=1, detail='none', tokenize='trigram');
CREATE TABLE audit_tag (tag TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (tag, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE webhook (
            id TEXT PRIMARY KEY NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL, secret TEXT NOT NULL, here INTEGER NOT NULL,
            made_by TEXT NOT NULL, made_ms INTEGER NOT NULL, busy TEXT, busy_ms INTEGER, failures INTEGER NOT NULL DEFAULT 0,
            next_ms INTEGER
          ) STRICT;
CREATE TABLE webhook_delivery (
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, webhook TEXT NOT NULL, event TEXT NOT NULL,
            task TEXT NOT NULL, body TEXT NOT NULL, made_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL,
            attempts INTEGER NOT NULL, due_ms INTEGER, tried_ms INTEGER, status INTEGER, error TEXT, done_ms INTEGER
          ) STRICT;
CREATE INDEX webhook_due ON webhook_delivery (webhook, due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX webhook_log ON webhook_delivery (webhook, seq);
CREATE TABLE definition_unused (hash TEXT PRIMARY KEY NOT NULL, since_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX run_of_definition ON run (definition_hash);
CREATE TABLE audit_node (node_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (node_id, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE audit_run (run_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (run_id, seq)) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_of_task ON webhook_delivery (task);
CREATE TABLE tool_server (
            name TEXT PRIMARY KEY NOT NULL, definition TEXT NOT NULL, approved TEXT, seen TEXT, blocked TEXT, trouble TEXT,
            made_by TEXT NOT NULL, made_ms INTEGER NOT NULL
          , sign_in TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE llm_run (
            run TEXT NOT NULL, node TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
            calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, thinking INTEGER NOT NULL,
            cost INTEGER NOT NULL, unpriced INTEGER NOT NULL, PRIMARY KEY (run, node, provider, model)
          ) STRICT, WITHOUT ROWID;
CREATE TABLE llm_day (
            day TEXT NOT NULL, workflow TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
            calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, thinking INTEGER NOT NULL,
            cost INTEGER NOT NULL, unpriced INTEGER NOT NULL, PRIMARY KEY (day, workflow, provider, model)
          ) STRICT, WITHOUT ROWID;
CREATE TABLE audit_mark (mark TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (mark, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE run_sent (run TEXT PRIMARY KEY NOT NULL, sent_run TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX run_no ON run (no);
CREATE TABLE run_event (
            id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, type TEXT NOT NULL, node TEXT, path TEXT, item INTEGER,
            visit INTEGER, attempt INTEGER, hash BLOB NOT NULL, payload BLOB NOT NULL, blobs TEXT
          ) STRICT;
CREATE INDEX run_event_path ON run_event (id >> 32, path, node) WHERE path IS NOT NULL;
CREATE TABLE run_key (
            scope TEXT NOT NULL, key TEXT NOT NULL, request_hash TEXT NOT NULL, run TEXT NOT NULL, made_ms INTEGER NOT NULL,
            PRIMARY KEY (scope, key)
          ) STRICT, WITHOUT ROWID;
CREATE INDEX run_key_made ON run_key (made_ms);
CREATE TABLE activation (
            workflow TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, active INTEGER NOT NULL,
            here INTEGER NOT NULL, person TEXT NOT NULL, at_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
CREATE TABLE workflow_version (
            workflow TEXT NOT NULL, hash TEXT NOT NULL, person TEXT NOT NULL, at_ms INTEGER NOT NULL,
            PRIMARY KEY (workflow, hash)
          ) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_version_hash ON workflow_version (hash);
CREATE TABLE workflow_trigger (
            id TEXT PRIMARY KEY NOT NULL, workflow TEXT NOT NULL, node TEXT NOT NULL, kind TEXT NOT NULL, title TEXT,
            config TEXT NOT NULL, active INTEGER NOT NULL, cursor_ms INTEGER NOT NULL, swept_ms INTEGER NOT NULL DEFAULT 0,
            problem TEXT
          ) STRICT, WITHOUT ROWID;
CREATE INDEX trigger_of_workflow ON workflow_trigger (workflow);
CREATE TABLE trigger_firing (
            trigger_id TEXT NOT NULL, key TEXT NOT NULL, scheduled_ms INTEGER NOT NULL, fired_ms INTEGER NOT NULL, run TEXT,
            reason TEXT, count INTEGER NOT NULL, PRIMARY KEY (trigger_id, key)
          ) STRICT, WITHOUT ROWID;
CREATE INDEX trigger_firing_newest ON trigger_firing (trigger_id, fired_ms);
CREATE TABLE trigger_change (one INTEGER PRIMARY KEY NOT NULL CHECK (one = 1), change INTEGER NOT NULL) STRICT;
CREATE TABLE trigger_failed_run (
            trigger_id TEXT NOT NULL, run TEXT NOT NULL, ended_ms INTEGER NOT NULL, PRIMARY KEY (trigger_id, run)
          ) STRICT, WITHOUT ROWID;
CREATE INDEX trigger_of_errors ON workflow_trigger (id) WHERE kind = 'trigger.error';
CREATE TABLE trigger_seen (
            trigger_id TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, at_ms INTEGER NOT NULL,
            PRIMARY KEY (trigger_id, key)
          ) STRICT, WITHOUT ROWID;
CREATE TABLE workflow_limit (
            workflow TEXT PRIMARY KEY NOT NULL, max INTEGER, rate_count INTEGER, rate_ms INTEGER,
            waiting INTEGER NOT NULL DEFAULT 0, started INTEGER NOT NULL DEFAULT 0
          ) STRICT, WITHOUT ROWID;
CREATE TABLE run_limit (
            seq INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, key TEXT NOT NULL, state INTEGER NOT NULL,
            replaced INTEGER NOT NULL DEFAULT 0, start TEXT
          ) STRICT;
CREATE INDEX run_limit_key ON run_limit (workflow, key, state, seq);
CREATE INDEX run_limit_age ON run_limit (workflow, key, seq) WHERE replaced = 0;
CREATE INDEX run_limit_rate ON run_limit (workflow, seq) WHERE state = 1;
CREATE TABLE run_rate (
            workflow TEXT NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (workflow, n)
          ) STRICT, WITHOUT ROWID;
CREATE TABLE failure_notice (
            workflow TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, run TEXT NOT NULL, at_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
CREATE TABLE remembered_key (
            workflow TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, root TEXT NOT NULL, run TEXT NOT NULL,
            step TEXT NOT NULL, until_ms INTEGER NOT NULL, PRIMARY KEY (workflow, scope, key)
          ) STRICT, WITHOUT ROWID;
CREATE INDEX remembered_key_oldest ON remembered_key (workflow, scope, until_ms);
CREATE INDEX remembered_key_until ON remembered_key (until_ms);
CREATE TABLE health_run (
           workflow TEXT NOT NULL, day INTEGER NOT NULL, status TEXT NOT NULL, took INTEGER NOT NULL, runs INTEGER NOT NULL,
           PRIMARY KEY (workflow, day, status, took)
         ) STRICT, WITHOUT ROWID;
CREATE TABLE health_error (
           workflow TEXT NOT NULL, day INTEGER NOT NULL, step TEXT NOT NULL, code TEXT NOT NULL, errors INTEGER NOT NULL,
           failed INTEGER NOT NULL, PRIMARY KEY (workflow, day, step, code)
         ) STRICT, WITHOUT ROWID;
CREATE TABLE health_pending (workflow TEXT PRIMARY KEY NOT NULL, ended INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE health_raised (
           alert TEXT NOT NULL, workflow TEXT NOT NULL, at_ms INTEGER NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (alert, workflow)
         ) STRICT, WITHOUT ROWID;
CREATE TABLE proof (
           workflow TEXT PRIMARY KEY NOT NULL, definition TEXT NOT NULL, at_ms INTEGER NOT NULL, score INTEGER, report TEXT NOT NULL
         ) STRICT, WITHOUT ROWID;
CREATE INDEX task_open_of ON task (workflow_id, created_ms) WHERE state = 'open';
CREATE TABLE failure_group (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, workflow_id TEXT NOT NULL,
            workflow_name TEXT NOT NULL, step TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
            sample TEXT NOT NULL, shape TEXT NOT NULL, first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
            open INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0
          ) STRICT;
CREATE INDEX failure_group_newest ON failure_group (last_ms DESC, id DESC) WHERE open > 0;
CREATE TABLE failure (
            id INTEGER PRIMARY KEY, run TEXT NOT NULL, task TEXT NOT NULL, of_group INTEGER NOT NULL, place TEXT NOT NULL,
            at_ms INTEGER NOT NULL, state TEXT NOT NULL, by_run TEXT, UNIQUE (run, task)
          ) STRICT;
CREATE INDEX failure_open ON failure (of_group, id) WHERE state = 'open';
CREATE INDEX failure_by_run ON failure (by_run) WHERE by_run IS NOT NULL;
CREATE INDEX run_of_parent ON run (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE TRIGGER failure_added AFTER INSERT ON failure BEGIN
            UPDATE failure_group SET open = open + (NEW.state = 'open'), total = total + 1,
              first_ms = min(first_ms, NEW.at_ms), last_ms = max(last_ms, NEW.at_ms) WHERE id = NEW.of_group;
          END;
CREATE TRIGGER failure_changed AFTER UPDATE OF state ON failure WHEN OLD.state <> NEW.state BEGIN
            UPDATE failure_group SET open = open + (NEW.state = 'open') - (OLD.state = 'open') WHERE id = NEW.of_group;
          END;
CREATE TRIGGER failure_removed AFTER DELETE ON failure BEGIN
            UPDATE failure_group SET open = open - (OLD.state = 'open'), total = total - 1,
              sample = CASE WHEN total = 1 THEN '' ELSE sample END WHERE id = OLD.of_group;
            DELETE FROM failure_group WHERE id = OLD.of_group AND total = 0
              AND NOT EXISTS (SELECT 1 FROM replay WHERE of_group = OLD.of_group);
          END;
CREATE TRIGGER failure_of_task AFTER UPDATE OF state ON task WHEN OLD.state = 'open' AND NEW.state <> 'open' BEGIN
            UPDATE failure SET state = 'answered' WHERE run = NEW.run AND task = NEW.id AND state = 'open';
          END;
CREATE TRIGGER failure_of_run AFTER DELETE ON run BEGIN
            DELETE FROM failure WHERE run = OLD.id;
          END;
CREATE TABLE failure_fill (id INTEGER PRIMARY KEY CHECK (id = 1), before_ms INTEGER NOT NULL, before_run TEXT NOT NULL) STRICT;
CREATE TABLE replay (
            id TEXT PRIMARY KEY NOT NULL, of_group INTEGER NOT NULL, kind TEXT NOT NULL, rule TEXT NOT NULL,
            correction TEXT NOT NULL, reason TEXT NOT NULL, person TEXT NOT NULL, made_ms INTEGER NOT NULL,
            state TEXT NOT NULL, problem TEXT, ended_ms INTEGER, owner TEXT, definition TEXT
          ) STRICT, WITHOUT ROWID;
CREATE INDEX replay_open ON replay (made_ms) WHERE ended_ms IS NULL;
CREATE INDEX replay_of_group ON replay (of_group, made_ms DESC);
CREATE INDEX replay_alike ON replay (kind, rule);
CREATE TABLE replay_item (
            replay TEXT NOT NULL, failure INTEGER NOT NULL, run TEXT NOT NULL, place TEXT NOT NULL, state TEXT NOT NULL,
            new_run TEXT, why TEXT, PRIMARY KEY (replay, failure)
          ) STRICT, WITHOUT ROWID;
CREATE INDEX replay_item_state ON replay_item (replay, state, failure);
CREATE UNIQUE INDEX replay_item_once ON replay_item (failure) WHERE state = 'waiting';
CREATE TABLE task_destination (
            id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, rules TEXT NOT NULL, config TEXT NOT NULL, here INTEGER NOT NULL,
            made_by TEXT NOT NULL, made_ms INTEGER NOT NULL, busy TEXT, busy_ms INTEGER, failures INTEGER NOT NULL DEFAULT 0,
            next_ms INTEGER, opened INTEGER NOT NULL DEFAULT 0
          ) STRICT;
CREATE TABLE task_copy (
            id TEXT PRIMARY KEY NOT NULL, destination TEXT NOT NULL, task TEXT NOT NULL, wanted TEXT NOT NULL, sent TEXT,
            remote TEXT, external_id TEXT, creating_ms INTEGER, closed INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0, since_ms INTEGER, due_ms INTEGER, tried_ms INTEGER, error TEXT, note TEXT,
            opened INTEGER NOT NULL DEFAULT 0, UNIQUE (destination, task)
          ) STRICT;
CREATE INDEX task_copy_due ON task_copy (destination, due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX task_copy_of_task ON task_copy (task);
CREATE INDEX task_copy_external ON task_copy (destination, external_id);
CREATE TABLE task_decision_seen (
            destination TEXT NOT NULL, key TEXT NOT NULL, until_ms INTEGER NOT NULL, PRIMARY KEY (destination, key)
          ) STRICT, WITHOUT ROWID;
CREATE TABLE access_token (
            hash TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE COLLATE NOCASE, role TEXT NOT NULL, person TEXT NOT NULL,
            made_ms INTEGER NOT NULL, expires_ms INTEGER, used_ms INTEGER
          , workspaces TEXT, per_minute INTEGER, per_day INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE user_session (
            hash TEXT PRIMARY KEY NOT NULL, id TEXT NOT NULL UNIQUE, person TEXT NOT NULL, since_ms INTEGER NOT NULL,
            used_ms INTEGER NOT NULL, renew_ms INTEGER, sealed TEXT
          ) STRICT, WITHOUT ROWID;
CREATE TABLE workspace (
            name TEXT PRIMARY KEY NOT NULL, per_minute INTEGER, per_day INTEGER, at_once INTEGER, made_ms INTEGER NOT NULL
          , person_per_minute INTEGER, person_per_day INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE workspace_workflow (workflow TEXT PRIMARY KEY NOT NULL, workspace TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX workspace_workflows ON workspace_workflow (workspace, workflow);
CREATE TABLE start_count (
            holder TEXT NOT NULL, window_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL, runs INTEGER NOT NULL,
            PRIMARY KEY (holder, window_ms)
          ) STRICT, WITHOUT ROWID;
CREATE INDEX run_of_workspace ON run (workspace, started_ms, id) WHERE workspace IS NOT NULL;
CREATE INDEX run_open_in_workspace ON run (workspace) WHERE ended_ms IS NULL AND workspace IS NOT NULL;
INSERT INTO audit_meta (name, value) VALUES ('logId', lower(hex(randomblob(16))));
INSERT INTO trigger_change (one, change) VALUES (1, 0);
