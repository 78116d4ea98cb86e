//! Signing in to a server with the settings of a step, and doing nothing else there: how a credential is tested.

use crate::objects::place::Place;
use crate::{brokers, databases, mail};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::World;
use signalbox_ports::databases::{Access, DatabasePlace};
use signalbox_ports::mail::MailProtocol;

/// Servers that are signed in to alike. Each has the settings of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerFamily {
    /// As *Query a database* names one.
    Database,
    /// As *Publish message* names one.
    Broker,
    /// As *Send mail* names one.
    Smtp,
    /// As *Read mail* names one.
    Imap,
    /// As *List objects* names one.
    Objects,
}

/// Signs in as the call's first slot says. The words of a failure may hold what the server sent.
pub async fn check_sign_in(family: ServerFamily, call: &Call, world: &World) -> Result<(), NodeFailure> {
    let Some(slot) = call.slots.first() else {
        return Err(NodeFailure::tool("INTERNAL", "The server has no settings"));
    };
    match family {
        ServerFamily::Database => {
            let database = databases::chosen(call, slot, world, Access::Read).await?.database;
            let DatabasePlace::Server(server) = database.place else {
                return Err(
                    NodeFailure::validation("INPUT_INVALID", "A file has nobody to sign in").detail("field", "system")
                );
            };
            world.databases.check(server, database.timeout).await.map_err(databases::failure)
        }
        ServerFamily::Broker => {
            let broker = brokers::broker(call, slot, world).await?;
            world.brokers.check(broker).await.map_err(brokers::failure)
        }
        ServerFamily::Smtp => mail_server(call, slot, world, MailProtocol::Smtp).await,
        ServerFamily::Imap => mail_server(call, slot, world, MailProtocol::Imap).await,
        ServerFamily::Objects => Place::of(call, slot, world).await?.check().await,
    }
}

async fn mail_server(call: &Call, slot: &CallSlot, world: &World, protocol: MailProtocol) -> Result<(), NodeFailure> {
    let ports = if protocol == MailProtocol::Smtp { mail::server::SMTP } else { mail::server::IMAP };
    let (server, timeout_ms) = mail::server::server(call, slot, world, &ports).await?;
    world.mail.check(server, protocol).await.map_err(|error| mail::failure::failure(error, timeout_ms))
}
