//! `serve`.

use super::{Done, told_to_stop};
use crate::args::{LogLevel, Serve, ServeSignIn};
use crate::output::{OK, Output};
use crate::server::address::PublicUrl;
use crate::server::people::PeopleRules;
use crate::server::sign_in::{CALLBACK, SignIn};
use crate::server::tls::{self, Certificate, Look, ServedCertificate, readable_by_others};
use crate::server::{self, Bound, Settings};
use serde_json::{Value, json};
use signalbox_adapters::RealClock;
use signalbox_adapters::oauth::{OpenIdClient, OpenIdProvider, Trouble};
use signalbox_app::{ApiError, ApiResult, App, Class};
use signalbox_model::time;
use signalbox_ports::{Clock, Secret};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::AbortHandle;

/// Pause between two attempts to record the start.
const RECORD_AGAIN: Duration = Duration::from_secs(30);
/// Rights that are always asked for; without `openid` there is no ID token.
const SCOPES: [&str; 3] = ["openid", "profile", "email"];

pub(crate) async fn serve(app: Arc<App>, output: &Output, args: &Serve, data: &Path) -> Done {
    #[cfg(feature = "restate")]
    super::worker::hand_over(&app, output, &args.hand_over)?;
    if !args.grant_root.is_empty() {
        app.set_grant_roots(
            args.grant_root.iter().map(|root| signalbox_app::grant_root(root)).collect::<Result<_, _>>()?,
        );
    }
    let certificate = certificate(args, RealClock.now_ms())?;
    let token_file = args.token_file.clone().unwrap_or_else(|| data.join("serve.token"));
    let settings = Settings {
        addr: args.addr,
        token_file: token_file.clone(),
        ui: args.ui,
        certificate: certificate.clone(),
        public: args.public_url.clone(),
    };
    let mut bound = server::bind(Arc::clone(&app), settings).await?;
    let base = bound.public.base();
    check_addresses(args, &bound.public, certificate.is_some())?;
    let url = format!("{}://{}", server::address::scheme(certificate.is_some()), bound.addr);
    if let Some(issuer) = &args.sign_in.oidc_issuer {
        let sign_in = sign_in(output, args, issuer, &bound).await?;
        let people = sign_in.restore(&app).await?;
        if people > 0 {
            output.log(LogLevel::Info, &format!("Sessions of people that go on after the restart: {people}."));
        }
        bound.set_sign_in(sign_in);
    } else {
        app.end_all_sessions().await?;
    }
    app.serves_at(&base);
    app.count_runs();
    let (resumed, problems) = app.resume_all().await?;
    let runs = if resumed.len() == 1 { "interrupted run" } else { "interrupted runs" };
    output.log(LogLevel::Info, &format!("Resumed {} {runs}.", resumed.len()));
    for problem in problems {
        output.log(LogLevel::Error, &problem.message);
    }
    let token_file = std::path::absolute(&token_file).unwrap_or(token_file);
    let recording =
        record_start(&app, output, started(args, &bound, &url, &token_file, certificate.as_deref())).await?;
    let mut ready = json!({ "url": url, "tokenFile": token_file });
    if args.public_url.is_some() {
        ready["publicUrl"] = base.clone().into();
    }
    output.value(&ready);
    if args.ui
        && !output.json
        && let Some(token) = &bound.token
    {
        output.line(&format!("{base}/#token={token}"));
    }
    if !args.ui && !output.json {
        // Beside what programs read.
        output
            .log(LogLevel::Warn, &format!("Only REST and events are served; add --ui to serve the web UI at {base}/."));
    }
    if certificate.is_none() && !bound.addr.ip().is_loopback() {
        let words =
            "Tokens and data are readable on the network: use --tls-cert and --tls-key, or a proxy on this machine.";
        output.log(LogLevel::Warn, words);
    }
    if args.audit_stdout {
        // After what a program that starts this one waits for.
        app.audit_to_stdout();
    }
    let watch = certificate.map(|certificate| {
        if !certificate.certificate().holds_for(bound.public.host()) {
            let words = format!("The certificate is not for {}: browsers will refuse it.", bound.public.host());
            output.log(LogLevel::Warn, &words);
        }
        tokio::spawn(watch(Arc::clone(&app), *output, certificate)).abort_handle()
    });
    bound.serve(told_to_stop()).await;
    for task in [watch, recording].into_iter().flatten() {
        task.abort();
    }
    Ok(OK)
}

/// Records that the server has started. On a full disk it is tried again and again: a server that runs lets people look, and free
/// some room.
async fn record_start(app: &Arc<App>, output: &Output, facts: Value) -> ApiResult<Option<AbortHandle>> {
    let Err(error) = app.server_started(facts.clone()).await else { return Ok(None) };
    if error.code != "DISK_FULL" {
        return Err(error);
    }
    output.log(LogLevel::Error, &format!("The start of the server is not recorded yet. {}", error.message));
    let (app, output) = (Arc::clone(app), *output);
    let recording = tokio::spawn(async move {
        loop {
            tokio::time::sleep(RECORD_AGAIN).await;
            if app.server_started(facts.clone()).await.is_ok() {
                output.log(LogLevel::Info, "The start of the server is recorded.");
                return;
            }
        }
    });
    Ok(Some(recording.abort_handle()))
}

fn refused(message: impl Into<String>, hint: &str) -> ApiError {
    ApiError::new(Class::BadRequest, "BAD_SERVE", message, hint)
}

/// What can be known before a server starts: whether its files can be used and its addresses fit together.
pub(crate) fn check(args: &Serve) -> ApiResult<()> {
    server::not_everywhere(args.addr)?;
    let is_tls = certificate(args, RealClock.now_ms())?.is_some();
    let public = args.public_url.clone().or_else(|| PublicUrl::of(args.addr, is_tls));
    let public = public.ok_or_else(|| refused(format!("{} is no address of a server.", args.addr), ""))?;
    check_addresses(args, &public, is_tls)?;
    args.sign_in.oidc_client_secret_file.as_deref().map(client_secret).transpose().map(drop)
}

fn check_addresses(args: &Serve, public: &PublicUrl, is_tls: bool) -> ApiResult<()> {
    let base = public.base();
    if is_tls && !public.is_https() {
        let hint = "Write it with https://, or leave --tls-cert out.";
        return Err(refused(format!("The server speaks HTTPS, and its public address is {base}."), hint));
    }
    if args.sign_in.oidc_issuer.is_none() {
        return Ok(());
    }
    if !args.ui {
        return Err(refused("People sign in on the page, and it is not served.", "Add --ui."));
    }
    if !public.is_https() && !public.is_here() {
        let hint = "Use --tls-cert and --tls-key, or --public-url https://… with a proxy that speaks HTTPS.";
        return Err(refused(format!("People would sign in at {base} in plain text."), hint));
    }
    Ok(())
}

fn certificate(args: &Serve, now_ms: i64) -> ApiResult<Option<Arc<ServedCertificate>>> {
    let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) else { return Ok(None) };
    ServedCertificate::open(certificate, key, now_ms).map(Some).map_err(|why| {
        let hint = "Give --tls-cert the certificate of this server and --tls-key its private key, both in PEM. The server did not start.";
        ApiError::new(Class::BadRequest, "BAD_TLS", format!("HTTPS is not possible: {why}."), hint)
    })
}

/// Takes renewed certificates, and says what becomes of them.
async fn watch(app: Arc<App>, output: Output, certificate: Arc<ServedCertificate>) {
    loop {
        tokio::time::sleep(tls::LOOK).await;
        let (look, now_ms) = (Arc::clone(&certificate), RealClock.now_ms());
        // It reads files.
        let Ok(found) = tokio::task::spawn_blocking(move || look.look(now_ms)).await else { continue };
        match found {
            Look::Same => {}
            Look::Changed(certificate) => {
                let until = time::format(certificate.not_after_ms);
                output
                    .log(LogLevel::Info, &format!("New connections use the renewed certificate; it ends on {until}."));
                if let Err(error) = app.certificate_changed(facts(&certificate)).await {
                    output.log(LogLevel::Error, &error.message);
                }
            }
            Look::Kept(why) => {
                let until = time::format(certificate.certificate().not_after_ms);
                let words =
                    format!("The changed certificate is not used: {why}. The one before stays; it ends on {until}.");
                output.log(LogLevel::Warn, &words);
            }
            Look::Ends(certificate) => {
                let until = time::format(certificate.not_after_ms);
                let words = if certificate.not_after_ms <= now_ms {
                    format!("The certificate of this server expired on {until}: browsers refuse it. Replace its file.")
                } else {
                    format!("The certificate of this server ends on {until}. Replace its file before.")
                };
                output.log(LogLevel::Warn, &words);
            }
        }
    }
}

fn facts(certificate: &Certificate) -> Value {
    json!({ "sha256": certificate.fingerprint, "notAfter": time::format(certificate.not_after_ms) })
}

/// What the audit chain records about a start.
fn started(
    args: &Serve,
    bound: &Bound,
    url: &str,
    token_file: &Path,
    certificate: Option<&ServedCertificate>,
) -> Value {
    let tokens: Vec<Value> = bound
        .holders()
        .map(|holder| json!({ "holder": format!("user:{}", holder.name), "role": holder.role.as_str() }))
        .collect();
    let sign_in = args.sign_in.oidc_issuer.as_ref().map(|issuer| {
        let roles: Vec<Value> = args
            .sign_in
            .oidc_roles
            .iter()
            .map(|rule| match &rule.workspace {
                None => json!({ "role": rule.role.as_str(), "value": rule.value }),
                Some(name) => json!({ "role": rule.role.as_str(), "value": rule.value, "workspace": name }),
            })
            .collect();
        json!({
            "issuer": issuer, "clientId": args.sign_in.oidc_client_id, "roleClaim": args.sign_in.oidc_role_claim,
            "nameClaim": args.sign_in.oidc_name_claim, "roles": roles,
        })
    });
    json!({
        "url": url, "publicUrl": bound.public.base(), "ui": args.ui, "tokenFile": token_file, "tokens": tokens,
        "certificate": certificate.map(|one| facts(&one.certificate())), "signIn": sign_in,
    })
}

/// Who signs people in.
async fn sign_in(output: &Output, args: &Serve, issuer: &url::Url, bound: &Bound) -> ApiResult<SignIn> {
    let ServeSignIn { oidc_client_id, oidc_client_secret_file, oidc_roles, oidc_scopes, .. } = &args.sign_in;
    let base = bound.public.base();
    let secret = oidc_client_secret_file.as_deref().map(client_secret).transpose()?;
    let mut scopes: Vec<String> = SCOPES.map(str::to_owned).into();
    scopes.extend(oidc_scopes.iter().filter(|scope| !SCOPES.contains(&scope.as_str())).cloned());
    let client =
        OpenIdClient { issuer: issuer.clone(), client_id: oidc_client_id.clone().unwrap_or_default(), secret, scopes };
    let hint = "Check --oidc-issuer: its discovery document is at ISSUER/.well-known/openid-configuration.";
    let provider = OpenIdProvider::new(client).map_err(|fault| refused(format!("{}.", fault.message), hint))?;
    match provider.check().await {
        Ok(()) => {}
        // It may answer later; what needs no person goes on until then.
        Err(fault) if fault.trouble == Trouble::Unreachable => {
            output.log(LogLevel::Warn, &format!("Nobody can sign in now: {}. It is tried again.", fault.message));
        }
        Err(fault) => return Err(refused(format!("People cannot sign in: {}.", fault.message), hint)),
    }
    output.log(
        LogLevel::Info,
        &format!("People sign in by {}; the redirect address there is {base}{CALLBACK}.", provider.issuer()),
    );
    let rules = PeopleRules {
        role_claim: args.sign_in.oidc_role_claim.clone(),
        name_claim: args.sign_in.oidc_name_claim.clone(),
        roles: oidc_roles.clone(),
    };
    let name = args.sign_in.oidc_name.clone().or_else(|| issuer.host_str().map(str::to_owned)).unwrap_or_default();
    let reserved = bound.holders().map(|holder| holder.name.clone()).collect();
    Ok(SignIn::new(name, provider, rules, &base, reserved))
}

fn client_secret(path: &Path) -> ApiResult<Secret> {
    let hint = "Write the secret of the client into the file, and nothing else.";
    let text = fs::read_to_string(path).map_err(|error| {
        refused(format!("The secret of the client, {}, cannot be read: {error}.", path.display()), hint)
    })?;
    readable_by_others(path).map_err(|why| refused(format!("{why}."), ""))?;
    match text.trim() {
        "" => Err(refused(format!("{} is empty.", path.display()), hint)),
        secret => Ok(Secret::new(secret)),
    }
}
