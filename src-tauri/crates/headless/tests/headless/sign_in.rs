//! Signing in to a tool server with the real program, and a tool server with an authorization server of its own
//! (`tests/mcp/sign-in.mjs`): the whole way, what is wrong on it, and what becomes of tokens (TRUST, "MCP client side").

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::{BUILDER, Done, OPERATOR, Serving, TestHome, eventually, with_roles, workflow};

/// Signing in with a secret: the terminal, a step, a revoked sign-in; no token in any file or event.
#[test]
fn a_secret_signs_in_and_a_step_uses_its_token() {
    let home = SignInHome::new(json!({ "client": "client-9", "first": 0 }));
    let issuer = home.issuer();
    let (token, authorization) = (format!("{issuer}/token"), format!("{issuer}/authorize"));
    let args = ["secret", "set", "erp", "--kind", "oauth2", "--client-id", "client-9", "--host", "127.0.0.1"];
    let addresses = ["--token-url", &token, "--authorization-url", &authorization, "--scope", "read", "--json"];
    let kept = home.place.run_with(&[&args[..], &addresses[..]].concat(), "");
    assert_eq!(kept.json()["signIn"]["state"], "wanted", "{}{}", kept.out, kept.err);
    let file = home.place.file(
        "erp.json",
        json!({
            "signalbox": 1, "id": "erp", "name": "ERP",
            "nodes": { "ask": { "type": "http.request", "title": "Ask", "config": { "url": format!("{issuer}/api"), "credential": "secret://erp" } } },
            "edges": [],
        })
        .to_string(),
    );
    let path = file.to_str().expect("text");
    let early = home.run(&["run", path]).json();
    assert_eq!(early["error"]["details"]["code"], "CREDENTIAL_EXPIRED", "{early}");
    let (child, out, begun) = home.begin_with(&["secret", "sign-in", "erp"]);
    assert!(browse(begun["address"].as_str().expect("an address")).starts_with("You are signed in."));
    let (code, told) = SignInHome::end(child, out);
    assert_eq!((code, &told["signIn"]["state"]), (0, &json!("signedIn")), "{told}");
    // The first token was over at once; the step renewed it and sent it.
    let done = home.run(&["run", path]).json();
    assert_eq!(done["status"], "completed", "{done}");
    assert!(done["output"].to_string().contains("Bearer [secret:erp]"), "{done}");
    assert_eq!(home.run(&["secret", "test", "erp", "--url", &format!("{issuer}/api")]).code, 0);
    let nobody = home.run(&["secret", "test", "erp", "--url", "redis://127.0.0.1:1"]);
    assert_eq!((nobody.code, &nobody.json()["code"]), (2, &json!("CONNECTION")), "{}", nobody.out);
    // A token that is not known any more is renewed once, and the step goes on.
    home.set(json!({ "client": "client-9", "forgets": 2 }));
    assert_eq!(home.run(&["run", path]).json()["status"], "completed");
    assert_eq!(home.asked("/token").len(), 3, "one code, two renewals");
    revoked_in_mid_run(&home);
    let over = home.run(&["run", path]).json();
    assert_eq!(over["error"]["details"]["code"], "CREDENTIAL_EXPIRED", "{over}");
    assert!(over["error"]["message"].as_str().expect("words").contains("signalbox secret sign-in erp"), "{over}");
    let listed = home.run(&["secret", "list"]).json();
    assert_eq!(listed[0]["signIn"]["state"], "ended", "{listed}");
    let events: Vec<Value> = home.events().iter().map(|entry| entry["event"].clone()).collect();
    assert_eq!(events, [json!("SECRET_SIGNED_IN"), json!("SECRET_SIGN_IN_ENDED")]);
    for (path, bytes) in home.bytes() {
        assert_eq!(given_out(&bytes), None, "in {}", path.display());
    }
}

/// The service takes the sign-in back between two steps: the second one leaves through its error port, and was sent once.
fn revoked_in_mid_run(home: &SignInHome) {
    let revoked = json!({ "client": "client-9", "forgets": 9, "refresh": "refused" }).to_string();
    let folder = home.place.dir.path().display().to_string();
    let config = json!({ "url": format!("{}/api", home.issuer()), "credential": "secret://erp" });
    let mut order = config.clone();
    order["method"] = "POST".into();
    let mut document = workflow(
        json!({
            "read": { "type": "http.request", "config": config },
            "revoke": { "type": "file.write", "config": { "path": format!("{folder}/set"), "content": revoked } },
            "order": { "type": "http.request", "config": order },
            "ordered": { "type": "flow.noop" },
            "caught": { "type": "data.set", "config": { "assign": { "type": "=error.type", "code": "=error.details.code" }, "keep": false } },
        }),
        json!([
            { "from": "read.success", "to": "revoke" }, { "from": "revoke.success", "to": "order" },
            { "from": "order.success", "to": "ordered" }, { "from": "order.error", "to": "caught" },
        ]),
    );
    document["id"] = "revoked".into();
    let file = home.place.file("revoked.json", document.to_string());
    let before = home.asked("/api").len();
    let done = home.run(&["run", file.to_str().expect("text"), "--allow-dir", &format!("{folder}:rw")]).json();
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["output"], json!([{ "type": "ToolError", "code": "CREDENTIAL_EXPIRED" }]), "{done}");
    assert_eq!(home.asked("/api").len() - before, 2, "each step was sent once");
}

/// Through the server: the browser comes back to the server's own address, without a token, by its state alone.
#[test]
fn a_browser_comes_back_to_the_server_that_signs_in() {
    let home = SignInHome::new(json!({ "client": "client-9" }));
    let issuer = home.issuer();
    let serving = with_roles(&home.place);
    let ask =
        |token: &str, command: &str, body: Value| serving.ask_as(token, "POST", &format!("/rpc/{command}"), &body, &[]);
    let client = json!({ "grant": "authorizationCode", "clientId": "client-9", "service": {
        "tokenUrl": format!("{issuer}/token"), "authorizationUrl": format!("{issuer}/authorize"), "revocationUrl": format!("{issuer}/revoke") } });
    let secret = json!({ "name": "erp", "kind": "oauth2", "hosts": ["127.0.0.1"], "value": "", "oauth": client });
    assert_eq!(ask(OPERATOR, "secret_set", secret.clone()).status, 403);
    assert_eq!(ask(BUILDER, "secret_set", secret).json()["signIn"]["state"], "wanted");
    assert_eq!(ask(OPERATOR, "secret_sign_in", json!({ "name": "erp" })).status, 403);
    let begun = ask(BUILDER, "secret_sign_in", json!({ "name": "erp" })).json();
    let address = begun["address"].as_str().expect("an address");
    assert!(address.contains("%2Foauth%2Fcallback"), "{address}");
    home.set(json!({ "client": "client-9", "hostile": "state" }));
    assert!(browse(address).starts_with("This belongs to no sign-in"));
    assert_eq!(ask(BUILDER, "secret_list", json!({})).json()[0]["signIn"]["state"], "waiting");
    home.set(json!({ "client": "client-9" }));
    assert!(browse(address).starts_with("You are signed in."));
    let listed = ask(BUILDER, "secret_list", json!({})).json();
    assert_eq!(listed[0]["signIn"]["state"], "signedIn", "{listed}");
    let out = ask(BUILDER, "secret_sign_out", json!({ "name": "erp" })).json();
    assert_eq!((&out["revoked"], &out["secret"]["signIn"]["state"]), (&json!(true), &json!("wanted")), "{out}");
    assert_eq!(home.asked("/revoke").len(), 1);
}

/// The two servers, and a data folder in which the tool server is registered as `desk`.
struct SignInHome {
    place: TestHome,
    servers: Child,
    url: String,
}

impl Drop for SignInHome {
    fn drop(&mut self) {
        drop(self.servers.kill());
        drop(self.servers.wait());
    }
}

/// Sends a request to an address, following redirects as a browser does; the text of the last page.
fn browse(address: &str) -> String {
    let go = "fetch(process.argv[1]).then((r) => r.text()).then((t) => console.log(t))";
    let done = Command::new("node").args(["-e", go, address]).output().expect("node");
    String::from_utf8(done.stdout).expect("text").trim().to_owned()
}

impl SignInHome {
    fn new(settings: Value) -> Self {
        let place = TestHome::new();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/mcp/sign-in.mjs");
        let file = |name: &str| place.dir.path().join(name);
        std::fs::write(file("set"), settings.to_string()).expect("written");
        let mut command = Command::new("node");
        command.arg(script).arg("--port").arg(file("port")).arg("--log").arg(file("log")).arg("--set").arg(file("set"));
        let servers = command.stdin(Stdio::null()).spawn().expect("node");
        let mut url = String::new();
        while !url.starts_with("http") {
            // Another process writes it.
            std::thread::sleep(Duration::from_millis(10));
            url = std::fs::read_to_string(file("port")).unwrap_or_default();
        }
        let home = Self { place, servers, url };
        assert_eq!(home.run(&["secret", "choose", "file"]).code, 0);
        let set = home.run(&["tools", "set", "desk", "--url", &home.url]);
        assert_eq!(set.code, 0, "{}{}", set.out, set.err);
        home
    }
    fn set(&self, settings: Value) {
        self.place.file("set", settings.to_string());
    }
    fn run(&self, args: &[&str]) -> Done {
        let mut all = args.to_vec();
        all.push("--json");
        self.place.run(&all)
    }
    fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.place.dir.path().join("log")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
    /// Requests to a path of the authorization server.
    fn asked(&self, path: &str) -> Vec<Value> {
        self.log().into_iter().filter(|entry| entry["at"] == "issuer" && entry["path"] == path).collect()
    }
    /// The address of the authorization server.
    fn issuer(&self) -> String {
        std::fs::read_to_string(self.place.dir.path().join("port.issuer")).expect("written")
    }
    fn begin(&self) -> (Child, BufReader<std::process::ChildStdout>, Value) {
        self.begin_with(&["tools", "sign-in", "desk"])
    }
    fn begin_with(&self, args: &[&str]) -> (Child, BufReader<std::process::ChildStdout>, Value) {
        let mut command = self.place.command(&[args, &["--json"]].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        (child, out, serde_json::from_str(&line).expect("JSON"))
    }
    fn end(mut child: Child, mut out: BufReader<std::process::ChildStdout>) -> (i32, Value) {
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        let code = child.wait().expect("it ends").code().expect("a code");
        (code, serde_json::from_str(&line).expect("JSON"))
    }
    /// Begins, goes to the browser, and waits for the end.
    fn sign_in(&self) -> (i32, Value, String) {
        let (child, out, begun) = self.begin();
        let Some(address) = begun["address"].as_str() else {
            let code = { child }.wait().expect("it ends").code().expect("a code");
            return (code, begun, String::new());
        };
        let page = browse(address);
        let (code, told) = Self::end(child, out);
        (code, told, page)
    }
    fn approve(&self) {
        let seen = self.run(&["tools", "connect", "desk"]).json();
        let hash = seen["hash"].as_str().unwrap_or_else(|| panic!("a hash: {seen}"));
        assert_eq!(self.run(&["tools", "approve", "desk", "--hash", hash]).code, 0);
    }
    fn call(&self, tool: &str) -> Value {
        self.run(&["tools", "call", "desk", tool]).json()
    }
    fn state(&self) -> Value {
        self.run(&["tools", "list"]).json()[0]["signIn"].clone()
    }
    fn events(&self) -> Vec<Value> {
        let all = self.run(&["audit", "list"]).json();
        let about = |entry: &&Value| entry["event"].as_str().is_some_and(|event| event.contains("SIGN"));
        all.as_array().expect("entries").iter().filter(about).cloned().collect()
    }
    /// Bytes of every file of the data folder.
    fn bytes(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut found, mut left) = (Vec::new(), vec![self.place.data()]);
        while let Some(folder) = left.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    left.push(path)
                } else {
                    found.push((path.clone(), std::fs::read(path).expect("reads")))
                }
            }
        }
        found
    }
}

#[test]
fn a_person_signs_in_calls_tools_and_signs_out() {
    let home = SignInHome::new(json!({}));
    let wants = home.run(&["tools", "connect", "desk"]);
    assert_eq!((wants.code, &wants.json()["signIn"]["state"]), (1, &json!("wanted")), "{}", wants.out);
    let shown = home.place.run(&["tools", "connect", "desk"]).out;
    assert!(shown.contains("sign-in: wanted"), "{shown}");
    assert!(wants.json()["trouble"]["message"].as_str().expect("words").contains("tools sign-in desk"));
    let (code, told, page) = home.sign_in();
    assert_eq!((code, &told["signIn"]["state"]), (0, &json!("signedIn")), "{told}");
    assert!(page.starts_with("You are signed in."), "{page}");
    assert_eq!(told["signIn"]["scopes"], json!(["tools"]));
    assert_eq!(told["signIn"]["renews"], true);
    let authorize = home.asked("/authorize").remove(0)["query"].clone();
    assert_eq!((&authorize["resource"], &authorize["scope"]), (&json!(home.url), &json!("tools")));
    assert_eq!(home.asked("/token")[0]["form"]["resource"], json!(home.url));
    home.approve();
    let looked = home.call("look");
    assert_eq!(looked["status"], "completed");
    assert!(looked["output"].to_string().contains("Bearer [secret:sign-in to desk]"), "{looked}");

    // Further rights: an ordinary error says what to do, and whoever does it gets on.
    let refused = home.call("change");
    assert_eq!(
        (&refused["status"], &refused["error"]["details"]["code"]),
        (&json!("failed"), &json!("AUTH")),
        "{refused}"
    );
    assert!(
        refused["error"]["message"].as_str().expect("words").contains("further rights for this (tools change)"),
        "{refused}"
    );
    assert_eq!((&home.state()["state"], &home.state()["wants"]), (&json!("more"), &json!(["tools", "change"])));
    assert_eq!(home.sign_in().0, 0);
    assert_eq!(home.call("change")["status"], "completed");

    // Its tokens stand nowhere but in the encrypted file, in no form.
    let out = home.run(&["tools", "sign-out", "desk"]);
    assert_eq!((out.code, &out.json()["revoked"]), (0, &json!(true)), "{}{}", out.out, out.err);
    let revoked = home.asked("/revoke").remove(0)["form"]["token"].as_str().expect("a token").to_owned();
    assert!(revoked.starts_with("refresh-"));
    let sent = home
        .log()
        .into_iter()
        .filter_map(|entry| Some(entry["authorization"].as_str()?.strip_prefix("Bearer ")?.to_owned()));
    let code = home.asked("/token")[0]["form"]["code"].as_str().expect("a code").to_owned();
    let secrets: Vec<String> = sent.chain([revoked, code]).collect();
    for (path, bytes) in home.bytes() {
        for secret in &secrets {
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{secret} stands in {}", path.display());
        }
    }
    assert!(home.state().get("by").is_none());
    assert_eq!(home.call("look")["error"]["details"]["code"], "AUTH");
    assert_eq!(home.log().iter().filter(|entry| entry["at"] == "canary").count(), 0);
    let events: Vec<Value> = home.events().iter().map(|entry| entry["event"].clone()).collect();
    assert_eq!(events, ["TOOL_SERVER_SIGNED_IN", "TOOL_SERVER_SIGNED_IN", "TOOL_SERVER_SIGNED_OUT"]);
    assert_eq!(home.events()[0]["actor"]["type"], "human");
}

#[test]
fn a_token_that_runs_out_is_renewed_without_a_word_until_it_cannot_be() {
    // The first token is over when it comes.
    let home = SignInHome::new(json!({ "first": 0 }));
    home.run(&["tools", "connect", "desk"]);
    assert_eq!(home.sign_in().0, 0);
    home.approve();
    // The server forgets one that would have lasted, and one more.
    for forgets in [1, 2, 3] {
        home.set(json!({ "forgets": forgets }));
        assert_eq!(home.call("look")["status"], "completed");
    }
    let grants = |grant: &str| home.asked("/token").iter().filter(|asked| asked["form"]["grant_type"] == grant).count();
    assert_eq!((grants("authorization_code"), grants("refresh_token")), (1, 3));
    let used: std::collections::BTreeSet<String> = home
        .asked("/token")
        .iter()
        .filter_map(|asked| asked["form"]["refresh_token"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(used.len(), 3, "a token that was used is not used again");

    home.set(json!({ "forgets": 4, "refresh": "refused" }));
    let over = home.call("look");
    assert_eq!(over["error"]["details"]["code"], "AUTH", "{over}");
    assert!(
        over["error"]["message"].as_str().expect("words").contains("Sign in again in Settings, Tool servers"),
        "{over}"
    );
    assert_eq!(home.state()["state"], "ended");
    let asked = home.log().len();
    assert_eq!(home.call("look")["error"]["details"]["code"], "AUTH");
    assert_eq!(home.log().len(), asked, "nobody is asked with a sign-in that is over");
    let last = home.events().pop().expect("an entry");
    assert_eq!((&last["event"], &last["actor"]["type"]), (&json!("TOOL_SERVER_SIGN_IN_ENDED"), &json!("system")));
    home.set(json!({}));
    assert_eq!(home.sign_in().0, 0);
    assert_eq!(home.call("look")["status"], "completed");
}

/// Runs one step that calls a tool of `desk` in a running program; the run as it ended.
fn through(serving: &Serving, tool: &str) -> Value {
    let config = json!({ "server": "desk", "tool": tool, "arguments": {} });
    let document = workflow(json!({ "call": { "type": "mcp.tool", "config": config } }), json!([]));
    let started = serving.ask("POST", "/rpc/run_start", &json!({ "document": document, "params": {} })).json();
    let run = json!({ "runId": started["runId"] });
    let mut seen = Value::Null;
    eventually("the end of the run", || {
        seen = serving.ask("POST", "/rpc/run_get", &run).json();
        ["completed", "failed"].iter().any(|status| seen["status"] == *status)
    });
    seen
}

/// A connection that is open in one program goes with who is signed in, whichever program somebody signs out or in with.
#[test]
fn signing_out_in_another_process_reaches_a_connection_that_is_open() {
    let home = SignInHome::new(json!({}));
    home.run(&["tools", "connect", "desk"]);
    assert_eq!(home.sign_in().0, 0);
    home.approve();
    let serving = Serving::start(&home.place, &[]);
    assert_eq!(through(&serving, "look")["status"], "completed");
    let sent =
        || home.log().iter().filter(|entry| entry["at"] == "server" && entry["authorization"].is_string()).count();
    let before = sent();
    assert_eq!(home.run(&["tools", "sign-out", "desk"]).code, 0);
    let refused = through(&serving, "look");
    assert_eq!(
        (&refused["status"], &refused["error"]["details"]["code"]),
        (&json!("failed"), &json!("AUTH")),
        "{refused}"
    );
    assert!(refused["error"]["message"].as_str().expect("words").contains("tools sign-in desk"), "{refused}");
    assert_eq!(sent(), before, "no token goes along any more");

    assert_eq!(home.sign_in().0, 0);
    assert_eq!(through(&serving, "look")["status"], "completed", "and who signs in gets on");
    // Another person's session is not gone on with.
    assert_eq!(home.sign_in().0, 0);
    let last = home.log().iter().rev().find_map(|entry| entry["authorization"].as_str().map(str::to_owned));
    assert_eq!(through(&serving, "look")["status"], "completed");
    let now = home.log().iter().rev().find_map(|entry| entry["authorization"].as_str().map(str::to_owned));
    assert_ne!(last, now, "the token is that of who signed in last");
}

#[test]
fn whoever_signs_out_while_a_code_is_redeemed_is_signed_out() {
    let home = SignInHome::new(json!({}));
    home.run(&["tools", "connect", "desk"]);
    home.set(json!({ "holds": true }));
    let (child, out, begun) = home.begin();
    let address = begun["address"].as_str().expect("an address").to_owned();
    let browser = std::thread::spawn(move || browse(&address));
    eventually("the code is redeemed", || home.asked("/token").len() == 1);
    assert_eq!(home.run(&["tools", "sign-out", "desk"]).code, 0);
    home.set(json!({}));
    let (code, told) = SignInHome::end(child, out);
    assert_eq!((code, &told["error"]["code"]), (2, &json!("SIGN_IN_FAILED")), "{told}");
    assert!(told["error"]["message"].as_str().expect("words").contains("Somebody signed out meanwhile"), "{told}");
    assert!(browser.join().expect("a page").starts_with("The sign-in failed."));
    assert_eq!((&home.state()["state"], home.state().get("message")), (&json!("wanted"), None));
    assert_eq!(home.events(), Vec::<Value>::new());
    assert_eq!(home.asked("/revoke").len(), 1, "what nobody keeps is given back");
    assert_eq!(home.call("look")["error"]["details"]["code"], "TOOL_NOT_APPROVED");
    // The next one counts.
    assert_eq!(home.sign_in().0, 0);
    assert_eq!(home.state()["state"], "signedIn");
}

/// What a server said once of where people sign in may be out of date; nobody is kept out by it.
#[test]
fn a_server_that_tells_people_elsewhere_to_sign_in_is_heard() {
    let home = SignInHome::new(json!({}));
    home.run(&["tools", "connect", "desk"]);
    assert_eq!(home.sign_in().0, 0);
    home.approve();
    // The refusal of a token says where to go now.
    home.set(json!({ "moved": true, "forgets": 1, "refresh": "refused" }));
    assert_eq!(home.call("look")["error"]["details"]["code"], "AUTH");
    assert_eq!(home.state()["state"], "ended");
    home.set(json!({ "moved": true }));
    let (code, told, _) = home.sign_in();
    assert_eq!((code, &told["signIn"]["state"]), (0, &json!("signedIn")), "{told}");
    // Where nobody refused anything, signing out forgets the way.
    home.set(json!({}));
    assert_eq!(home.run(&["tools", "sign-out", "desk"]).code, 0);
    assert_eq!(home.state()["state"], "wanted");
    assert_eq!(home.sign_in().0, 0);
    assert_eq!(home.call("look")["status"], "completed");
}

/// A vault that was given up takes the tokens along: nobody is shown as signed in who is not.
#[test]
fn tokens_that_are_gone_end_a_sign_in() {
    let home = SignInHome::new(json!({}));
    home.run(&["tools", "connect", "desk"]);
    assert_eq!(home.sign_in().0, 0);
    home.approve();
    assert_eq!(home.run(&["secret", "choose", "file", "--discard"]).code, 0);
    let over = home.call("look");
    assert_eq!(over["error"]["details"]["code"], "AUTH", "{over}");
    assert!(
        over["error"]["message"].as_str().expect("words").starts_with("Its tokens are not among the secrets"),
        "{over}"
    );
    assert_eq!(home.state()["state"], "ended");
    assert_eq!(home.sign_in().0, 0);
    assert_eq!(home.call("look")["status"], "completed");
}

#[test]
fn what_is_wrong_on_the_way_signs_nobody_in() {
    let home = SignInHome::new(json!({}));
    home.run(&["tools", "connect", "desk"]);
    // What is wrong, the words, and whether a code was sent to the token endpoint.
    for (hostile, words, codes) in [
        ("resource", "is for https://other.example/mcp", 0),
        ("issuer", "calls itself otherwise", 0),
        ("huge", "sent more than 256 KiB", 0),
        ("html", "is no metadata of it", 0),
        ("redirect", "sends elsewhere (302)", 0),
        ("no-pkce", "does not offer PKCE with S256", 0),
        ("plain", "only https is safe", 0),
        ("endpoint", "only https is safe", 0),
        ("iss", "is from another authorization server", 0),
        ("no-iss", "as its issuer, although", 0),
        ("denied", "was declined in the browser", 0),
        ("token-redirect", "sends elsewhere (307)", 1),
        ("token-html", "gave no token that can be used", 1),
        ("mac", "it is no bearer token", 1),
    ] {
        home.set(json!({ "hostile": hostile }));
        let before = home.asked("/token").len();
        let (code, told, page) = home.sign_in();
        assert_eq!((code, &told["error"]["code"]), (2, &json!("SIGN_IN_FAILED")), "{hostile}: {told}");
        let message = told["error"]["message"].as_str().expect("words");
        assert!(message.contains(words), "{hostile}: {message}");
        assert!(page.is_empty() || page.starts_with("The sign-in failed."), "{hostile}: {page}");
        assert_eq!(given_out(format!("{told}{page}").as_bytes()), None, "{hostile}");
        assert_eq!(home.asked("/token").len() - before, codes, "{hostile}");
    }
    assert_eq!(
        home.log().iter().filter(|entry| entry["at"] == "canary").count(),
        0,
        "nothing goes where a redirect leads"
    );
    assert!(home.state().get("by").is_none());
    assert_eq!(home.events(), Vec::<Value>::new());
    // What is looked for below is there to be found.
    assert!(given_out(json!(home.asked("/token")).to_string().as_bytes()).is_some());
    // An address of the machine's own network is not asked because a server says so.
    home.set(json!({ "hostile": "metadata-address" }));
    home.run(&["tools", "connect", "desk"]);
    let (_, told, _) = home.sign_in();
    assert!(told["error"]["message"].as_str().expect("words").contains("is not used"), "{told}");
    for (path, bytes) in home.bytes() {
        assert_eq!(given_out(&bytes), None, "in {}", path.display());
    }
}

/// A code or a token as the authorization server writes them.
fn given_out(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    ["code-", "access-", "refresh-"].iter().find_map(|kind| {
        text.match_indices(kind).find_map(|(at, _)| {
            let id = text.get(at + kind.len()..at + kind.len() + 9)?;
            let is_id = id.ends_with('-') && id[..8].chars().all(|c| c.is_ascii_hexdigit());
            is_id.then(|| format!("{kind}{id}"))
        })
    })
}

#[test]
fn the_page_takes_what_belongs_to_it_and_nothing_else() {
    let home = SignInHome::new(json!({ "hostile": "state" }));
    home.run(&["tools", "connect", "desk"]);
    let (child, out, begun) = home.begin();
    let address = begun["address"].as_str().expect("an address");
    assert!(browse(address).starts_with("This belongs to no sign-in"));
    let asked = url::Url::parse(address).expect("an address");
    let of = |name: &str| asked.query_pairs().find(|(key, _)| key == name).expect("there").1.into_owned();
    let page = url::Url::parse(&of("redirect_uri")).expect("an address");
    let raw = |head: String| {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", page.port().expect("a port"))).expect("it listens");
        stream.write_all(head.as_bytes()).expect("sent");
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).expect("a line");
        answer.split(' ').nth(1).expect("a status").to_owned()
    };
    let state = of("state");
    let good = format!("/callback?code=x&state={state}");
    let host = format!("127.0.0.1:{}", page.port().expect("a port"));
    for (line, host, status) in [
        (format!("GET {good}"), "evil.example", "403"),
        (format!("GET {good}"), "localhost", "403"),
        (format!("POST {good}"), host.as_str(), "405"),
        (format!("GET /other?code=x&state={state}"), host.as_str(), "404"),
        (format!("GET {good}&state={state}"), host.as_str(), "400"),
        ("GET /callback".into(), host.as_str(), "404"),
    ] {
        assert_eq!(raw(format!("{line} HTTP/1.1\r\nHost: {host}\r\n\r\n")), status, "{line} {host}");
    }
    assert_eq!(home.asked("/token").len(), 0);
    // It still waits for the right one.
    home.set(json!({}));
    assert!(browse(address).starts_with("You are signed in."));
    assert_eq!(SignInHome::end(child, out).0, 0);
}

#[test]
fn whoever_sits_elsewhere_pastes_the_address_and_another_address_forgets_the_sign_in() {
    let home = SignInHome::new(json!({}));
    home.run(&["tools", "connect", "desk"]);
    let (mut child, out, begun) = home.begin();
    // A browser on another machine cannot reach the page; its address bar shows where it was sent.
    let go = "fetch(process.argv[1], { redirect: 'manual' }).then((r) => console.log(r.headers.get('location')))";
    let sent =
        Command::new("node").args(["-e", go, begun["address"].as_str().expect("an address")]).output().expect("node");
    let mut input = child.stdin.take().expect("piped");
    writeln!(input, "http://127.0.0.1:1/callback?code=x&state=another").expect("sent");
    input.write_all(&sent.stdout).expect("sent");
    let (code, told) = SignInHome::end(child, out);
    assert_eq!((code, &told["signIn"]["state"]), (0, &json!("signedIn")), "{told}");
    home.approve();
    assert_eq!(home.call("look")["status"], "completed");

    let other = format!("{}?x=1", home.url);
    assert_eq!(home.run(&["tools", "set", "desk", "--url", &other]).json().get("signIn"), None);
    assert_eq!(home.run(&["tools", "set", "desk", "--url", &home.url]).json().get("signIn"), None);
    let tokens = home.log().iter().filter(|entry| entry["authorization"].is_string()).count();
    assert_eq!(home.run(&["tools", "connect", "desk"]).json()["signIn"]["state"], "wanted");
    assert_eq!(home.log().iter().filter(|entry| entry["authorization"].is_string()).count(), tokens);
}

#[test]
fn an_address_that_was_pasted_closes_the_page_that_waited_for_the_browser() {
    let home = SignInHome::new(json!({}));
    let serving = with_roles(&home.place);
    let ask =
        |command: &str, body: Value| serving.ask_as(BUILDER, "POST", &format!("/rpc/{command}"), &body, &[]).json();
    assert_eq!(ask("tool_server_sign_in", json!({ "name": "desk" }))["error"]["code"], "START_NOT_APPROVED");
    home.run(&["tools", "connect", "desk"]);
    let begun = ask("tool_server_sign_in", json!({ "name": "desk" }));
    let go = "fetch(process.argv[1], { redirect: 'manual' }).then((r) => console.log(r.headers.get('location')))";
    let address = begun["address"].as_str().expect("an address");
    let sent = Command::new("node").args(["-e", go, address]).output().expect("node");
    let sent = String::from_utf8(sent.stdout).expect("text").trim().to_owned();
    let page = sent.trim_start_matches("http://").split('/').next().expect("a host").to_owned();
    assert!(TcpStream::connect(&page).is_ok(), "{page} waits");
    let told = ask("tool_server_sign_in_finish", json!({ "name": "desk", "address": sent }));
    assert_eq!(told["signIn"]["state"], "signedIn", "{told}");
    // The port is closed by the runtime, soon after.
    let closed = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(25));
        TcpStream::connect(&page).is_err()
    });
    assert!(closed, "{page} still waits for a browser");
}

#[test]
fn only_builders_sign_in_and_what_makes_no_sense_is_refused() {
    let home = SignInHome::new(json!({}));
    let serving = with_roles(&home.place);
    let ask =
        |token: &str, command: &str, body: Value| serving.ask_as(token, "POST", &format!("/rpc/{command}"), &body, &[]);
    for command in ["tool_server_sign_in", "tool_server_sign_out"] {
        assert_eq!(ask(OPERATOR, command, json!({ "name": "desk" })).status, 403);
        assert_eq!(ask(BUILDER, command, json!({ "name": "other" })).status, 404);
    }
    let finish = json!({ "name": "desk", "address": "http://127.0.0.1:1/callback?code=x&state=y" });
    assert_eq!(ask(OPERATOR, "tool_server_sign_in_finish", finish.clone()).status, 403);
    let nobody = ask(BUILDER, "tool_server_sign_in_finish", finish.clone()).json();
    assert_eq!(nobody["error"]["code"], "SIGN_IN_NOT_WAITING");
    // Somebody at this machine has to approve the address first.
    let begun = ask(BUILDER, "tool_server_sign_in", json!({ "name": "desk" })).json();
    assert_eq!(begun["error"]["code"], "START_NOT_APPROVED", "{begun}");
    home.run(&["tools", "connect", "desk"]);
    // The way of the page: what the browser was sent to is pasted into it.
    let begun = ask(BUILDER, "tool_server_sign_in", json!({ "name": "desk" })).json();
    assert!(begun["address"].as_str().expect("an address").contains("code_challenge_method=S256"), "{begun}");
    let waits = ask(OPERATOR, "tool_server_list", json!({})).json();
    assert_eq!(waits[0]["signIn"]["state"], "waiting");
    assert!(!waits.to_string().contains("state="), "who only looks does not see where to sign in");
    assert_eq!(ask(BUILDER, "tool_server_sign_in_finish", finish).status, 400);

    for (args, words) in [
        (vec!["--url", "https://a.example/mcp", "--client-metadata", "http://a.example/x"], "https address"),
        (vec!["--url", "https://a.example/mcp", "--issuer", "file:///x"], "issuer"),
        (vec!["--url", "https://a.example/mcp", "--client-id", "x", "--client-secret", "plain"], "secret://NAME"),
        (vec!["--url", "https://a.example/mcp", "--client-id", "x", "--unattended"], "a secret or a key"),
    ] {
        let mut all = vec!["tools", "set", "x"];
        all.extend(args);
        let refused = home.run(&all);
        assert_eq!(refused.code, 2, "{}", refused.out);
        assert!(refused.json()["error"]["message"].as_str().expect("words").contains(words), "{}", refused.out);
    }
}
