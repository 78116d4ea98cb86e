//! What object steps do with the files of a server: a file is written under another name first, so that nobody ever sees a half
//! of it.

use super::session::Session;
use super::wire::{Answer, Attributes, END, MKDIR, OPENDIR, READDIR, REMOVE, RENAME, STAT, TO_READ, bad, refusal};
use signalbox_ports::remote_files::{
    RemoteEntry, RemoteError, RemoteFault, RemoteList, RemoteListing, RemoteTransfer, RemoteWrite,
};
use std::collections::VecDeque;

/// Folders that one list opens.
const MOST_FOLDERS: usize = 1_000;
/// Names that are taken of one folder.
const MOST_NAMES: usize = 1_000_000;
/// Renames onto what is there in one step.
const REPLACE: &str = "posix-rename@openssh.com";
/// The disk has the file before it gets its name.
const SYNC: &str = "fsync@openssh.com";

pub(super) fn named(path: &str) -> String {
    format!("'{}'", path.chars().take(200).collect::<String>())
}

fn entry(key: String, about: Attributes) -> RemoteEntry {
    RemoteEntry { key, size: about.size, modified: about.modified.map(i64::from) }
}

/// The path of a folder without the slash at its end, as servers want it.
fn folder_path(folder: &str) -> &str {
    match folder.trim_end_matches('/') {
        "" if folder.starts_with('/') => "/",
        "" => ".",
        path => path,
    }
}

pub(super) async fn check(session: &mut Session, folder: &str) -> Result<(), RemoteError> {
    let path = folder_path(folder);
    let what = format!("The folder {}", named(path));
    let handle = open_folder(session, path, &what).await?;
    session.close(&handle, &what).await
}

async fn open_folder(session: &mut Session, path: &str, what: &str) -> Result<Vec<u8>, RemoteError> {
    match session.ask(OPENDIR, |request| request.bytes(path.as_bytes())).await? {
        Answer::Handle(handle) => Ok(handle),
        Answer::Status { code, text } => Err(refusal(code, &text, what)),
        _ => Err(bad("no handle follows an opening")),
    }
}

/// Names of a folder, with what is known of each; links are what they lead to.
async fn children(session: &mut Session, folder: &str) -> Result<Vec<(String, Attributes)>, RemoteError> {
    let path = folder_path(folder);
    let what = format!("The folder {}", named(path));
    let handle = open_folder(session, path, &what).await?;
    let mut found = Vec::new();
    loop {
        match session.ask(READDIR, |request| request.bytes(&handle)).await? {
            Answer::Names(names) if names.is_empty() => return Err(bad("a part of a folder has no names")),
            Answer::Names(names) => found.extend(names),
            Answer::Status { code: END, .. } => break,
            Answer::Status { code, text } => return Err(refusal(code, &text, &what)),
            _ => return Err(bad("no names follow a question for them")),
        }
        if found.len() > MOST_NAMES {
            let words = format!("{what} has more than {MOST_NAMES} names");
            return Err(RemoteError::new(RemoteFault::TooLarge, words));
        }
    }
    session.close(&handle, &what).await?;
    let mut all = Vec::with_capacity(found.len());
    for (name, mut about) in found {
        if name == b"." || name == b".." {
            continue;
        }
        let name = String::from_utf8(name).map_err(|error| {
            let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let words = format!("{what} has a name that is not UTF-8: {}. Rename it on the server", named(&shown));
            RemoteError::new(RemoteFault::Refused, words)
        })?;
        if name.contains('/') {
            return Err(bad("a name has a slash in it"));
        }
        if about.is_link() {
            let target = session.attributes(STAT, format!("{folder}{name}").as_bytes(), &what).await;
            // A link that leads nowhere is no file.
            let Ok(Some(target)) = target else { continue };
            about = target;
        }
        all.push((name, about));
    }
    all.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(all)
}

pub(super) async fn list(session: &mut Session, wanted: &RemoteList) -> Result<RemoteListing, RemoteError> {
    let start = wanted.prefix.rfind('/').map_or("", |at| &wanted.prefix[..=at]);
    let mut todo = VecDeque::from([start.to_owned()]);
    let (mut listing, mut asked) = (RemoteListing::default(), 0);
    while let Some(folder) = todo.pop_front() {
        if asked == MOST_FOLDERS {
            let words = format!("The list has more than {MOST_FOLDERS} folders. Choose a longer prefix");
            return Err(RemoteError::new(RemoteFault::Invalid("prefix"), words));
        }
        asked += 1;
        for (name, about) in children(session, &format!("{}{folder}", wanted.base)).await? {
            let key = format!("{folder}{name}");
            let key = if about.is_folder() { format!("{key}/") } else { key };
            // A folder may be a part of the prefix only.
            if !key.starts_with(&wanted.prefix) || is_unfinished(&name) {
                continue;
            }
            if about.is_folder() && wanted.recursive {
                todo.push_back(key);
            } else if listing.entries.len() == wanted.limit {
                listing.more = true;
                return Ok(listing);
            } else if about.is_folder() {
                listing.entries.push(RemoteEntry { key, ..RemoteEntry::default() });
            } else if about.is_file() {
                listing.entries.push(entry(key, about));
            }
        }
    }
    Ok(listing)
}

pub(super) async fn read(
    session: &mut Session,
    path: &str,
    most: usize,
) -> Result<(RemoteEntry, Vec<u8>), RemoteError> {
    let what = named(path);
    let about = read_about(session, path).await?;
    let handle = session.open(path, TO_READ, &what).await?;
    let bytes = session.read(&handle, most, &what).await?;
    session.close(&handle, &what).await?;
    Ok((about, bytes))
}

/// What is known of a file that is to be read.
pub(super) async fn read_about(session: &mut Session, path: &str) -> Result<RemoteEntry, RemoteError> {
    let what = named(path);
    let about = session.attributes(STAT, path.as_bytes(), &what).await?;
    let about = about.ok_or_else(|| RemoteError::new(RemoteFault::NotFound, format!("{what} is not there")))?;
    if about.is_folder() || !about.is_file() {
        let words = format!("{what} is no file, but a folder or a device");
        return Err(RemoteError::new(RemoteFault::Invalid("key"), words));
    }
    Ok(entry(path.to_owned(), about))
}

/// Under this name a file lies until it is whole: in its own folder, so that it only has to be renamed.
pub(super) fn unfinished(path: &str, key: &str) -> String {
    let (folder, _) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (&path[..=folder.len()], name));
    format!("{folder}.signalbox-{}.part", hash(&format!("{path}\n{key}")))
}

fn is_unfinished(name: &str) -> bool {
    name.starts_with(".signalbox-") && name.ends_with(".part")
}

fn hash(text: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    digest.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Makes the folders of a path behind what is there already.
async fn make_folders(session: &mut Session, base: &str, path: &str) -> Result<(), RemoteError> {
    let Some((folder, _)) = path.rsplit_once('/') else { return Ok(()) };
    if folder.len() < base.len() || session.attributes(STAT, folder.as_bytes(), &named(folder)).await?.is_some() {
        return Ok(());
    }
    let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at >= base.len().max(1));
    for at in ends {
        let part = &path[..at];
        let made = session.tell(MKDIR, &named(part), |request| request.bytes(part.as_bytes()).number(0)).await;
        // Servers say only 'failure' about one that is there.
        if let Err(error) = made
            && session.attributes(STAT, part.as_bytes(), &named(part)).await?.is_none_or(|about| !about.is_folder())
        {
            return Err(error);
        }
    }
    Ok(())
}

fn exists(path: &str) -> RemoteError {
    RemoteError::new(RemoteFault::Exists, format!("{} exists already", named(path)))
}

/// Gives a file its name. Onto nothing the server's own rename does it, which refuses a name that is taken; the other way is an
/// extension that most servers have.
async fn rename(session: &mut Session, from: &str, to: &str, is_new: bool) -> Result<(), RemoteError> {
    let what = named(to);
    if !is_new && session.has(REPLACE) {
        let both = |request: super::wire::Request| request.bytes(from.as_bytes()).bytes(to.as_bytes());
        return session.tell_extended(REPLACE, &what, both).await.map_err(maybe);
    }
    let there = session.attributes(STAT, to.as_bytes(), &what).await?;
    if is_new && there.is_some() {
        return Err(exists(to));
    }
    if there.is_some() {
        // Without the extension there is a moment without the file.
        session.tell(REMOVE, &what, |request| request.bytes(to.as_bytes())).await?;
    }
    let done = session.tell(RENAME, &what, |request| request.bytes(from.as_bytes()).bytes(to.as_bytes())).await;
    match done {
        // The server says 'failure' about a name that was taken in the meantime.
        Err(error) if is_new && error.fault == RemoteFault::Refused => {
            let taken = session.attributes(STAT, to.as_bytes(), &what).await?.is_some();
            Err(if taken { exists(to) } else { error })
        }
        done => done.map_err(maybe),
    }
}

/// A connection that ends while a name is given leaves open whether it was.
fn maybe(error: RemoteError) -> RemoteError {
    let maybe_done = error.fault == RemoteFault::Connection;
    RemoteError { maybe_done, ..error }
}

pub(super) async fn write(session: &mut Session, file: &RemoteWrite) -> Result<RemoteEntry, RemoteError> {
    start_write(session, file).await?;
    let what = named(&file.path);
    let handle = session.create(&unfinished(&file.path, &file.key), &what).await?;
    session.fill(&handle, &file.bytes, &what).await?;
    rename_written(session, file, &handle).await
}

/// Looks whether the file may be written, and makes its folders.
pub(super) async fn start_write(session: &mut Session, file: &RemoteWrite) -> Result<(), RemoteError> {
    let RemoteWrite { path, base, is_new, .. } = file;
    if *is_new && session.attributes(STAT, path.as_bytes(), &named(path)).await?.is_some() {
        return Err(exists(path));
    }
    make_folders(session, base, path).await
}

/// Closes the unfinished file, which is complete, and gives it its name.
pub(super) async fn rename_written(
    session: &mut Session,
    file: &RemoteWrite,
    handle: &[u8],
) -> Result<RemoteEntry, RemoteError> {
    let RemoteWrite { path, is_new, key, .. } = file;
    let what = named(path);
    if session.has(SYNC) {
        session.tell_extended(SYNC, &what, |request| request.bytes(handle)).await?;
    }
    session.close(handle, &what).await?;
    rename(session, &unfinished(path, key), path, *is_new).await?;
    let about = session.attributes(STAT, path.as_bytes(), &what).await?.unwrap_or_default();
    Ok(entry(path.clone(), about))
}

pub(super) async fn transfer(session: &mut Session, transfer: &RemoteTransfer) -> Result<(), RemoteError> {
    let RemoteTransfer { from, to, base, keep, is_new, key, most } = transfer;
    if *keep {
        let (_, bytes) = read(session, from, *most).await?;
        let file = RemoteWrite { path: to.clone(), base: base.clone(), bytes, is_new: *is_new, key: key.clone() };
        return write(session, &file).await.map(|_| ());
    }
    let about = session.attributes(STAT, from.as_bytes(), &named(from)).await?;
    if about.is_none_or(Attributes::is_folder) {
        let words = format!("{} is not there", named(from));
        return Err(RemoteError::new(RemoteFault::NotFound, words));
    }
    make_folders(session, base, to).await?;
    rename(session, from, to, *is_new).await
}

pub(super) async fn remove(session: &mut Session, path: &str) -> Result<bool, RemoteError> {
    let what = named(path);
    match session.tell(REMOVE, &what, |request| request.bytes(path.as_bytes())).await {
        Ok(()) => Ok(true),
        Err(error) if error.fault == RemoteFault::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{folder_path, is_unfinished, unfinished};

    #[test]
    fn an_unfinished_file_lies_beside_the_one_it_becomes() {
        for (path, folder) in [("a/b.txt", "a/"), ("/a", "/"), ("a", "")] {
            let name = unfinished(path, "call-1");
            assert_eq!(name.strip_prefix(folder).map(is_unfinished), Some(true), "{name}");
            assert_eq!(name, unfinished(path, "call-1"), "the same for a repetition");
            assert_ne!(name, unfinished(path, "call-2"));
        }
        for (given, want) in [("", "."), ("/", "/"), ("in/", "in"), ("/srv/in/", "/srv/in")] {
            assert_eq!(folder_path(given), want);
        }
    }
}
