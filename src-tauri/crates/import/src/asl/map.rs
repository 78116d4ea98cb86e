//! Map states: loops, with what they read, how many run at once and how many may fail.

use super::graph::Builder;
use super::jsonata;
use super::states::{State, cel_of};
use crate::cel::{Cel, Ty};
use crate::report::Level;
use serde_json::{Value, json};
use signalbox_model::Node as Step;
use signalbox_model::descriptor::Mode;

/// Most iterations at once, here.
const MOST_AT_ONCE: u64 = 100;

impl Builder<'_> {
    /// The list that a Map goes through, as an expression, and the step before it.
    fn items(&mut self, state: &State<'_>, before: &mut String) -> String {
        if let Some(reader) = state.raw.get("ItemReader") {
            let parameters = reader.get("Parameters").or_else(|| reader.get("Arguments"));
            let key = parameters.and_then(|all| all["Key"].as_str()).unwrap_or("items.json");
            let kind = match reader["ReaderConfig"]["InputType"].as_str() {
                Some("CSV") => "csv",
                _ => "json",
            };
            let message = format!("\"{}\" reads its items from a bucket of the other account ({key}).", state.name);
            let hint = "Put the file into a folder that the workflow may read, and correct the path.";
            self.tell(Level::Missing, "FOLDER", state, "ItemReader", message, hint);
            let config = json!({ "path": crate::text::literal(key), "as": kind });
            let id =
                self.step(state, "_file", Step { kind: "file.read".into(), config: Some(config), ..Step::default() });
            self.edge(before, "success", &id);
            *before = id;
            return "item.content".into();
        }
        match (state.raw.get("ItemsPath").or_else(|| state.raw.get("Items")), state.jsonata) {
            (Some(Value::String(text)), false) => {
                let text = text.clone();
                self.path_cel(state, "ItemsPath", &text, Cel::any("item"))
            }
            (Some(items), true) => match jsonata::template(items, &state.here(state.input())) {
                Ok(value) => cel_of(&value),
                Err(why) => {
                    let items = items.clone();
                    self.kept(state, "Items", &items, &why)
                }
            },
            _ => "item".to_owned(),
        }
    }

    /// A number of the state as an expression; none where it has none.
    fn limit(&mut self, state: &State<'_>, field: &str, root: &Cel) -> Option<Cel> {
        if !state.raw.contains_key(field) && !state.raw.contains_key(&format!("{field}Path")) {
            return None;
        }
        let value = self.number(state, field, root.clone())?;
        Some(Cel::new(cel_of(&value), if value.is_number() { Ty::Number } else { Ty::Any }))
    }

    pub(super) fn map(&mut self, state: &State<'_>) -> Result<(), (String, String)> {
        let mut before = self.effective(state);
        // What the paths of the state begin with: its input behind InputPath.
        let root = if self.has(&format!("{}_in", state.id)) {
            Cel::any(format!("nodes.{}_in.output", state.id))
        } else {
            state.input()
        };
        let mut source = self.items(state, &mut before);
        if state.raw.contains_key("ResultWriter") {
            let message = format!("\"{}\" writes its results to a bucket; here they are its output.", state.name);
            self.tell(Level::Warning, "MAP", state, "ResultWriter", message, "Write them with a step behind it.");
        }
        let batches = state.raw.get("ItemBatcher").and_then(Value::as_object).cloned();
        if let Some(batches) = &batches {
            let whole = State { raw: batches, path: format!("{}/ItemBatcher", state.path), ..state.copy() };
            match self.limit(&whole, "MaxItemsPerBatch", &root) {
                Some(size) => source = format!("({source}).chunks(int({}))", size.text),
                None => source = format!("[{source}]"),
            }
            if batches.keys().any(|name| name.starts_with("MaxInputBytesPerBatch")) {
                let message = format!("The batches of \"{}\" are not limited by their bytes.", state.name);
                self.tell(Level::Warning, "MAP", state, "ItemBatcher", message, "Limit their number of items.");
            }
        }
        let transform = |expression: String| {
            let config = Some(json!({ "expression": expression }));
            Step { kind: "data.transform".into(), config, ..Step::default() }
        };
        let list = self.step(state, "_list", transform(source));
        self.edge(&before, "success", &list);
        // A loop without items gives no item; a Map gives an empty list.
        let any = json!({ "condition": "size(item) > 0" });
        let any = self.step(state, "_any", Step { kind: "flow.if".into(), config: Some(any), ..Step::default() });
        self.edge(&list, "success", &any);

        let most = self.limit(state, "MaxConcurrency", &root);
        let mut config = json!({ "source": "=item", "mode": "parallel" });
        match most.map(|most| (most.text.parse::<u64>().ok(), most)) {
            Some((Some(1), _)) => config["mode"] = json!("serial"),
            Some((Some(most), _)) if most > 1 => config["maxConcurrency"] = json!(most.min(MOST_AT_ONCE)),
            Some((None, most)) => {
                let most = format!("int({})", most.text);
                config["maxConcurrency"] =
                    json!(format!("={most} == 0 ? {MOST_AT_ONCE} : [{most}, {MOST_AT_ONCE}].min()"));
            }
            _ => {}
        }
        let limits = [
            ("ToleratedFailureCount", "size(item.filter(x, x.status == 'rejected')) > int(LIMIT)"),
            (
                "ToleratedFailurePercentage",
                "100.0 * size(item.filter(x, x.status == 'rejected')) > double(LIMIT) * size(item)",
            ),
        ];
        let exceeded: Vec<String> = limits
            .iter()
            .filter_map(|(field, test)| Some(test.replace("LIMIT", &self.limit(state, field, &root)?.text)))
            .collect();
        if !exceeded.is_empty() {
            config["onChildError"] = json!("collect_errors");
        }
        let title = Some(state.name.into());
        let frame = Step { kind: "flow.loop".into(), title, config: Some(config), ..Step::default() };
        let frame = self.step(state, "_each", frame);
        self.edge(&any, "true", &frame);

        let selector = ["ItemSelector", "Parameters"].into_iter().find(|name| state.raw.contains_key(*name));
        let machine = state.raw.get("ItemProcessor").or_else(|| state.raw.get("Iterator")).and_then(Value::as_object);
        let Some(machine) = machine else {
            return Err((state.path.clone(), format!("The Map state \"{}\" has no ItemProcessor.", state.name)));
        };
        let name = if state.raw.contains_key("ItemProcessor") { "ItemProcessor" } else { "Iterator" };
        let mut one =
            selector.and_then(|field| self.template(state, state.raw, field, root.clone())).map(|value| cel_of(&value));
        if let Some(batches) = &batches {
            let input = self.template(state, batches, "BatchInput", root.clone()).map(|value| cel_of(&value));
            let input = input.map_or_else(String::new, |input| format!(", 'BatchInput': {input}"));
            let each = one.map_or_else(
                || "_item".to_owned(),
                |one| format!("_item.map(entry, {})", one.replace("_item", "entry")),
            );
            one = Some(format!("{{'Items': {each}{input}}}"));
        }
        let first = one.map(|one| {
            let step = Step { title: Some("Item".into()), parent: Some(frame.clone()), ..transform(one) };
            self.step(state, "_item", step)
        });
        let entry = self.machine(machine, Some(frame.clone()), &format!("{}/{name}", state.path), state.depth + 1)?;
        if let Some(first) = first {
            self.edge(&first, "success", &entry);
        }

        let mut risky = vec![frame.clone()];
        let last = if exceeded.is_empty() {
            let all = Cel::new(format!("coalesce(nodes.{frame}.items, [])"), Ty::List);
            self.output(state, &frame, all, true)
        } else {
            let results = Step { mode: Some(Mode::All), ..transform("items".to_owned()) };
            let results = self.step(state, "_results", results);
            self.edge(&frame, "success", &results);
            let test = json!({ "condition": exceeded.join(" || ") });
            let many = Step {
                kind: "flow.if".into(),
                title: Some(format!("{}: too many failures?", state.name)),
                config: Some(test),
                ..Step::default()
            };
            let many = self.step(state, "_many", many);
            self.edge(&results, "success", &many);
            let error = json!({ "type": "UnknownError", "message": format!("More iterations of {} failed than allowed", state.name), "details": { "error": "States.ExceedToleratedFailureThreshold" } });
            let config = Some(json!({ "error": error }));
            let failed = self.step(state, "_failed", Step { kind: "flow.fail".into(), config, ..Step::default() });
            self.edge(&many, "true", &failed);
            risky.push(failed);
            let good = Cel::new("item.filter(x, x.status == 'fulfilled').map(x, x.output)", Ty::List);
            self.output_from(state, (many, "false"), good, false)
        };
        self.edge(&any, "false", &last);
        self.catch(state, &risky);
        self.next(state, &last, "success", state.text("Next"));
        Ok(())
    }
}
