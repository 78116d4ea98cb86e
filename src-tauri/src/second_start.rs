//! A second start of the program hands its arguments to the first one and ends.

/// What this start is.
pub(crate) enum Start {
    First,
    /// Another process has taken the arguments.
    HandedOver,
}

/// Calls the running program as `tauri-plugin-single-instance` does, before GTK is loaded. The plugin asks only when threads of the window
/// system run already, and its `exit` then unloads libraries below them: about one second start in 1,500 ended by SIGSEGV. Two starts at
/// the same moment still come to the plugin.
///
/// # Errors
/// The program runs and does not take the arguments, as a sentence for the person.
#[cfg(target_os = "linux")]
pub(crate) fn hand_over(identifier: &str) -> Result<Start, String> {
    use std::time::Duration;
    let name = format!("{identifier}.SingleInstance");
    let path = format!("/{}", name.replace('.', "/").replace('-', "_"));
    // Without a session bus nobody can be found. The plugin says the same.
    let Ok(connection) = zbus::blocking::connection::Builder::session()
        .map(|bus| bus.method_timeout(Duration::from_secs(10)))
        .and_then(zbus::blocking::connection::Builder::build)
    else {
        return Ok(Start::First);
    };
    let (arguments, folder) = crate::outside::here();
    let folder = folder.to_string_lossy().into_owned();
    let ask = || {
        connection.call_method(
            Some(name.as_str()),
            path.as_str(),
            Some("org.SingleInstance.DBus"),
            "ExecuteCallback",
            &(&arguments, &folder),
        )
    };
    let mut answer = ask();
    // It ended in the meantime: the name is free, or another start has it.
    if matches!(&answer, Err(zbus::Error::MethodError(name, ..)) if name.as_str() == "org.freedesktop.DBus.Error.NoReply")
    {
        answer = ask();
    }
    match answer {
        Ok(_) => Ok(Start::HandedOver),
        Err(zbus::Error::MethodError(name, ..))
            if matches!(
                name.as_str(),
                "org.freedesktop.DBus.Error.ServiceUnknown" | "org.freedesktop.DBus.Error.NameHasNoOwner"
            ) =>
        {
            Ok(Start::First)
        }
        Err(error) => Err(format!(
            "Signalbox runs already and does not answer: {error}. Wait until its window reacts, or end the process \
             signalbox-desktop, and start it again."
        )),
    }
}

/// Other platforms leave it to the plugin.
#[cfg(not(target_os = "linux"))]
pub(crate) fn hand_over(_: &str) -> Result<Start, String> {
    Ok(Start::First)
}
