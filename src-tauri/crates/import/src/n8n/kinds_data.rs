//! Nodes that work on fields, lists, times and files.

use super::expr::Out;
use super::maker::{Made, Maker, whole};
use crate::cel::{Cel, Ty};
use crate::report::Level;
use serde_json::{Value, json};
use signalbox_model::Map;

fn config(pairs: &[(&str, Value)]) -> Map {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn names(text: &str) -> Vec<String> {
    text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// `item.a.b` of a path with dots.
fn path(name: &str, root: &str) -> Cel {
    name.split('.').fold(Cel::new(root, Ty::Any), |owner, part| owner.field(part))
}

impl Maker<'_, '_> {
    pub(super) fn data_step(&mut self) -> Result<Made, String> {
        let kind = self.node().kind.clone();
        let operation = self.text("operation").to_owned();
        Ok(match kind.as_str() {
            "set" => self.set(),
            "splitOut" => self.split_out("fieldToSplitOut", "include", "options.destinationFieldName"),
            "aggregate" => self.aggregate(),
            "sort" => self.sort()?,
            "limit" => self.limit(),
            "removeDuplicates" => self.dedupe()?,
            "renameKeys" => self.rename()?,
            "summarize" => self.summarise()?,
            "itemLists" => match operation.as_str() {
                "" | "splitOutItems" => self.split_out("fieldToSplitOut", "include", "options.destinationFieldName"),
                "aggregateItems" | "concatenateItems" => self.aggregate(),
                "sort" => self.sort()?,
                "limit" => self.limit(),
                "removeDuplicates" => self.dedupe()?,
                "summarize" => self.summarise()?,
                other => return Err(format!("its operation '{other}' has no step here")),
            },
            "dateTime" => self.date(&operation)?,
            "readWriteFile" | "readBinaryFile" | "readBinaryFiles" | "writeBinaryFile" => self.file_step(&operation)?,
            "convertToFile" if matches!(operation.as_str(), "csv" | "toJson") => {
                let format = if operation == "csv" { "csv" } else { "json" };
                let message = "It makes a file; here the text of the file is in the field 'data'.";
                self.warn("FILE_AS_TEXT", "operation", message, "Write it with the step 'Write file'.");
                Made::one(
                    "data.format",
                    config(&[("format", json!(format)), ("from", json!("items")), ("into", json!("data"))]),
                )
                .all()
            }
            "extractFromFile" if matches!(operation.as_str(), "fromJson" | "csv" | "") => {
                return Err("it reads a file that came as bytes; 'Read file' reads CSV and JSON at once".into());
            }
            "postgres" | "mySql" => {
                return Err("it asks a database; 'Query a database' and 'Write to a database' do that".into());
            }
            "microsoftSql" | "mongoDb" | "redis" | "supabase" => {
                return Err("it asks a database that no step here reaches".into());
            }
            "emailSend" | "gmail" | "emailReadImap" | "sendGrid" | "mailgun" => {
                return Err("it sends or reads mail; 'Send mail' and 'Read mail' do that".into());
            }
            "spreadsheetFile" => {
                return Err(
                    "it reads or writes a table in a file; 'Read spreadsheet' and 'Write spreadsheet' do that".into()
                );
            }
            "html" | "htmlExtract" => return Err("it reads a page; 'Extract from HTML' does that".into()),
            "xml" => return Err("it reads or writes XML; 'Parse text' and 'Format as text' do that".into()),
            "compression" => return Err("it packs files; 'Pack archive' and 'Unpack archive' do that".into()),
            "executeCommand" | "ssh" => {
                return Err("it runs a program of the machine, which workflows here do not".into());
            }
            "markdown" | "crypto" | "editImage" | "jwt" | "totp" => {
                return Err("no step here does that; a JavaScript step may".into());
            }
            _ => {
                return Err(
                    "it calls a service; 'Call a service' with a connector, or an HTTP request, may do that".into()
                );
            }
        })
    }

    fn set(&mut self) -> Made {
        let version = self.node().version;
        let keep = if version >= 3.3 {
            self.flag("includeOtherFields")
        } else if version >= 3.0 {
            !matches!(self.text("include"), "none")
        } else {
            !self.flag("keepOnlySet")
        };
        if self.text("mode") == "raw" || self.text("mode") == "json" {
            let written = self.text("jsonOutput").to_owned();
            return match self.json("jsonOutput", &written) {
                Value::Object(assign) => {
                    Made::one("data.set", config(&[("assign", Value::Object(assign)), ("keep", json!(keep))]))
                }
                Value::String(text) => match text.strip_prefix('=') {
                    Some(cel) => Made::one("data.transform", config(&[("expression", json!(cel))])),
                    None => {
                        let message =
                            "The JSON could not be put together from its expressions; the text is parsed when it runs.";
                        self.warn("JSON_TEXT", "jsonOutput", message, "Write the fields one by one.");
                        let cel = self.cel("jsonOutput", &written);
                        Made::one("data.transform", config(&[("expression", json!(format!("fromJson({})", cel.text)))]))
                    }
                },
                other => Made::one("data.set", config(&[("assign", json!({ "value": other }))])),
            };
        }
        let mut assign = Map::new();
        let mut put = |maker: &mut Self, name: Option<&str>, kind: &str, value: Option<&Value>| {
            let Some(name) = name.map(|name| name.trim_start_matches('=')).filter(|name| !name.is_empty()) else {
                return;
            };
            let value = maker.typed(name, kind, value.unwrap_or(&Value::Null));
            assign.insert(name.to_owned(), value);
        };
        for row in self.rows("assignments.assignments") {
            let text = |name: &str| row.get(name).and_then(Value::as_str);
            put(self, text("name"), text("type").unwrap_or("string"), row.get("value"));
        }
        for row in self.rows("fields.values") {
            let text = |name: &str| row.get(name).and_then(Value::as_str);
            let kind = text("type").unwrap_or("stringValue").trim_end_matches("Value").to_owned();
            put(self, text("name"), &kind, row.get(&format!("{kind}Value")));
        }
        for kind in ["string", "number", "boolean"] {
            for row in self.rows(&format!("values.{kind}")) {
                put(self, row.get("name").and_then(Value::as_str), kind, row.get("value"));
            }
        }
        Made::one("data.set", config(&[("assign", Value::Object(assign)), ("keep", json!(keep))]))
    }

    /// A value as the type that was chosen for it.
    fn typed(&mut self, name: &str, kind: &str, value: &Value) -> Value {
        let Some(text) = value.as_str() else { return self.value(name, value) };
        if text.starts_with('=') {
            if matches!(kind, "object" | "array") {
                return self.json(name, text);
            }
            let cel = self.cel(name, text);
            return match (kind, &cel.ty) {
                ("string", Ty::Number | Ty::Bool) => json!(format!("=string({})", cel.text)),
                ("number", Ty::Text) => json!(format!("=double({})", cel.text)),
                ("string", _) => json!(self.again(name, text)),
                _ => json!(format!("={}", whole(&cel))),
            };
        }
        match kind {
            "number" => text
                .trim()
                .parse::<f64>()
                .ok()
                .and_then(|_| serde_json::from_str(text.trim()).ok())
                .unwrap_or(json!(text)),
            "boolean" => json!(text.trim() == "true"),
            "array" | "object" => serde_json::from_str::<Value>(text).unwrap_or(json!(text)),
            _ => self.value(name, value),
        }
    }

    /// The text anew, without counting and telling it twice.
    fn again(&mut self, name: &str, text: &str) -> String {
        let before = *self.counted;
        let written = self.written(name, text);
        *self.counted = before;
        written
    }

    fn split_out(&mut self, field: &str, include: &str, into: &str) -> Made {
        let fields = names(self.text(field).trim_start_matches('='));
        let fields: Vec<String> = fields
            .iter()
            .map(|name| name.trim_start_matches("$json.").trim_matches(['{', '}', ' ']).to_owned())
            .collect();
        let name = fields.first().cloned().unwrap_or_default();
        let others = self.text(include);
        let into = self.text(into).to_owned();
        if fields.len() > 1 {
            let message = format!("It splits several fields together ({}); here the first one.", fields.join(", "));
            self.tell(Level::Problem, "SPLIT_FIELDS", field, message, "Use a JavaScript step for the others.");
        }
        if matches!(others, "allOtherFields" | "selectedOtherFields") {
            if others == "selectedOtherFields" {
                self.warn(
                    "OTHER_FIELDS",
                    include,
                    "It keeps some other fields; here all of them.",
                    "Pick the fields behind it.",
                );
            }
            let mut all = config(&[("field", json!(name)), ("keepOthers", json!(true))]);
            if !into.is_empty() {
                all.insert("entryName".into(), json!(into));
            }
            return Made::one("data.split", all);
        }
        let list = path(&name, "item");
        let entry = if into.is_empty() { name.rsplit('.').next().unwrap_or(&name).to_owned() } else { into };
        let named = format!("{{{}: x}}", Cel::text(&entry).text);
        let one = format!("coalesce({}, [])", list.text);
        let text = format!("(type({one}) == list ? {one} : [{one}]).map(x, type(x) == map ? x : {named})");
        Made::one("data.transform", config(&[("expression", json!(text)), ("split", json!(true))]))
    }

    fn aggregate(&mut self) -> Made {
        if self.text("aggregate") == "aggregateAllItemData" {
            let into = self.text("destinationFieldName");
            let into = if into.is_empty() { "data" } else { into };
            return Made::one("data.aggregate", config(&[("into", json!(into))]));
        }
        let mut parts = Vec::new();
        for row in self.rows("fieldsToAggregate.fieldToAggregate") {
            let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
            let from = text("fieldToAggregate").trim_start_matches('=');
            let to = if row.get("renameField") == Some(&Value::Bool(true)) { text("outputFieldName") } else { from };
            let to = if to.is_empty() { from } else { to };
            let last = to.rsplit('.').next().unwrap_or(to);
            let value = path(from, "x");
            let has = match value.text.rsplit_once('.') {
                Some(_) => format!("items.filter(x, coalesce({0}) != null).map(x, {0})", value.text),
                None => format!("items.map(x, {})", value.text),
            };
            parts.push(format!("{}: {has}", Cel::text(last).text));
        }
        let expression = format!("{{{}}}", parts.join(", "));
        Made::one("data.transform", config(&[("expression", json!(expression))])).all()
    }

    fn sort(&mut self) -> Result<Made, String> {
        let rows = self.rows("sortFieldsUi.sortField");
        if rows.is_empty() {
            return Err(if self.text("type") == "random" {
                "it shuffles items".into()
            } else {
                "it sorts by code or by nothing".into()
            });
        }
        let order = |row: &Map| row.get("order").and_then(Value::as_str).unwrap_or("ascending") == "descending";
        let descending = order(rows[0]);
        if rows.iter().any(|row| order(row) != descending) {
            let hint = "Sort twice: by the last field first.";
            self.tell(
                Level::Problem,
                "SORT_ORDER",
                "sortFieldsUi",
                "It sorts up and down at once; here in the order of the first field.",
                hint,
            );
        }
        let fields: Vec<String> = rows
            .iter()
            .filter_map(|row| row.get("fieldName").and_then(Value::as_str))
            .map(|name| path(name.trim_start_matches('='), "item").text)
            .collect();
        let by = if fields.len() == 1 { fields.concat() } else { format!("[{}]", fields.join(", ")) };
        Ok(Made::one(
            "data.sort",
            config(&[("by", json!(by)), ("order", json!(if descending { "desc" } else { "asc" }))]),
        ))
    }

    fn limit(&mut self) -> Made {
        let count = match self.p("maxItems") {
            Some(value) => {
                let value = value.clone();
                self.value("maxItems", &value)
            }
            None => json!(1),
        };
        let from = if self.text("keep") == "lastItems" { "last" } else { "first" };
        Made::one("data.limit", config(&[("count", count), ("from", json!(from))]))
    }

    fn dedupe(&mut self) -> Result<Made, String> {
        if self.text("operation") == "removeItemsSeenInPreviousExecutions" {
            let key = self.text("dedupeValue").to_owned();
            let key = self.cel("dedupeValue", &key);
            return Ok(Made::one("data.remember", config(&[("key", json!(key.text))])));
        }
        if self.text("operation") == "clearDeduplicationHistory" {
            return Err("it clears what was remembered".into());
        }
        let mut by: Vec<String> = self
            .rows("fieldsToCompare.fields")
            .iter()
            .filter_map(|row| row.get("fieldName").and_then(Value::as_str).map(str::to_owned))
            .collect();
        by.extend(names(self.text("fieldsToCompare")));
        if self.text("compare") == "allFieldsExcept" {
            return Err("it compares all fields but some".into());
        }
        let mut all = config(&[("missing", json!("empty"))]);
        if self.text("compare") == "selectedFields" {
            all.insert("by".into(), json!(by));
        }
        Ok(Made::one("data.dedupe", all))
    }

    fn rename(&mut self) -> Result<Made, String> {
        let rows = self.rows("keys.key");
        if rows.is_empty() {
            return Err("it renames by a pattern".into());
        }
        let text = |row: &Map, name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let fields: Vec<Value> =
            rows.iter().map(|row| json!({ "field": text(row, "currentKey"), "name": text(row, "newKey") })).collect();
        Ok(Made::one("data.rename", config(&[("fields", json!(fields)), ("missing", json!("skip"))])))
    }

    fn summarise(&mut self) -> Result<Made, String> {
        let mut statistics = Vec::new();
        for row in self.rows("fieldsToSummarize.values") {
            let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
            let field = text("field");
            let (what, word) = match text("aggregation") {
                "" | "count" => ("count", "count"),
                "sum" => ("sum", "sum"),
                "average" => ("average", "average"),
                "min" => ("min", "min"),
                "max" => ("max", "max"),
                "append" => ("list", "appended"),
                "countUnique" => ("distinct", "unique_count"),
                other => return Err(format!("its aggregation '{other}' has no step here")),
            };
            statistics.push(json!({ "what": what, "field": field, "name": format!("{word}_{field}") }));
        }
        let mut all = config(&[("statistics", json!(statistics)), ("missing", json!("empty"))]);
        let by = names(self.text("fieldsToSplitBy"));
        if !by.is_empty() {
            all.insert("by".into(), json!(by));
        }
        Ok(Made::one("data.summarise", all))
    }

    fn date(&mut self, operation: &str) -> Result<Made, String> {
        let old = self.node().version < 2.0;
        let zone = self.place.zone.map(str::to_owned);
        let source = |maker: &mut Self, name: &str| -> Out {
            let text = maker.text(name).to_owned();
            let cel = maker.cel(name, &text);
            super::times::to_time(&cel, zone.clone())
        };
        let result = |maker: &Self, default: &str| {
            let name = [maker.text("outputFieldName"), maker.text("dataPropertyName")]
                .into_iter()
                .find(|name| !name.is_empty());
            name.unwrap_or(default).to_owned()
        };
        let (name, value) = match operation {
            "formatDate" | "" if !old || self.text("action") != "calculate" => {
                let (setting, format) =
                    if old { ("value", self.text("toFormat")) } else { ("date", self.text("format")) };
                let format = match format {
                    "custom" => self.text("customFormat"),
                    "" => "MM/dd/yyyy",
                    other => other,
                };
                // Before version 2 the formats are those of moment.
                let format = if old { format.replace("YYYY", "yyyy").replace("DD", "dd") } else { format.to_owned() };
                let time = source(self, setting)?;
                let call = crate::js::Js::Text(format);
                let value = super::expr::call_on(&self.place, &time, "toFormat", &[call])?;
                (result(self, if old { "data" } else { "formattedDate" }), value.text)
            }
            "addToDate" | "subtractFromDate" => {
                let time = source(self, "magnitude")?;
                let amount = self.p("duration").and_then(Value::as_f64).ok_or("the length of time is computed")?;
                let unit = self.text("timeUnit");
                let unit = if unit.is_empty() { "days" } else { unit };
                let name = if operation == "addToDate" { "plus" } else { "minus" };
                let args = [crate::js::Js::Number(amount), crate::js::Js::Text(unit.to_owned())];
                let value = super::expr::call_on(&self.place, &time, name, &args)?;
                (result(self, "newDate"), value.iso().text)
            }
            "getCurrentDate" => {
                let now = Cel::new("timestamp(run.startedAt)", Ty::Time(zone.clone()));
                (result(self, "currentDate"), now.iso().text)
            }
            other => return Err(format!("its operation '{other}' has no step here; see 'Date and time'")),
        };
        Ok(Made::one("data.set", config(&[("assign", json!({ name: format!("={value}") }))])))
    }

    fn file_step(&mut self, operation: &str) -> Result<Made, String> {
        let kind = self.node().kind.as_str();
        let writes = kind == "writeBinaryFile" || operation == "write";
        let setting = ["fileSelector", "fileName", "filePath"]
            .into_iter()
            .find(|name| self.p(name).is_some())
            .unwrap_or("fileName");
        let text = self.text(setting).to_owned();
        if text.contains('*') {
            return Err("it reads files by a pattern; see 'List files'".into());
        }
        let path = self.written(setting, &text);
        let message = format!("\"{}\" uses a file of the other machine: {text}", self.node().name);
        self.tell(Level::Missing, "FOLDER", setting, message, "Allow a folder for the workflow, and correct the path.");
        Ok(if writes {
            self.warn(
                "BINARY_NAME",
                "dataPropertyName",
                "Here the bytes of an item are called 'response' or 'content'.",
                "Correct the name of the bytes.",
            );
            Made::one("file.write", config(&[("path", json!(path)), ("binary", json!("content"))]))
        } else {
            Made::one("file.read", config(&[("path", json!(path)), ("as", json!("binary"))]))
        })
    }
}
