use super::{AuditKeys, Place, Unusable};
use signalbox_adapters::keyring::{KeyRing, Look};
use signalbox_ports::Secret;
use signalbox_store::audit::PublicKey;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// How a key store is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Open,
    Locked,
    Absent,
    /// It takes everything and keeps nothing.
    Forgets,
}

/// A key store in memory, shared by the processes of a test.
pub(crate) struct TestKeyRing {
    pub(crate) kept: Mutex<BTreeMap<String, String>>,
    pub(crate) mood: Mutex<Mood>,
}

impl TestKeyRing {
    pub(crate) fn new(mood: Mood) -> Arc<Self> {
        Arc::new(Self { kept: Mutex::default(), mood: Mutex::new(mood) })
    }
    pub(crate) fn is(&self, mood: Mood) {
        *self.mood.lock().expect("a lock") = mood;
    }
    pub(crate) fn count(&self) -> usize {
        self.kept.lock().expect("a lock").len()
    }
    fn answers(&self) -> Result<(), String> {
        match *self.mood.lock().expect("a lock") {
            Mood::Open | Mood::Forgets => Ok(()),
            Mood::Locked => Err("it is locked".into()),
            Mood::Absent => Err("no key store answers in this session".into()),
        }
    }
}

impl KeyRing for TestKeyRing {
    fn name(&self) -> &'static str {
        "Test key ring"
    }
    fn probe(&self) -> Result<(), String> {
        self.answers()
    }
    fn look(&self, account: &str) -> Result<Look, String> {
        if *self.mood.lock().expect("a lock") == Mood::Locked {
            return Ok(Look::Locked);
        }
        Ok(self.get(account)?.map_or(Look::Nothing, Look::Kept))
    }
    fn get(&self, account: &str) -> Result<Option<Secret>, String> {
        self.answers()?;
        Ok(self.kept.lock().expect("a lock").get(account).map(Secret::new))
    }
    fn set(&self, account: &str, secret: &Secret) -> Result<(), String> {
        self.answers()?;
        if *self.mood.lock().expect("a lock") != Mood::Forgets {
            self.kept.lock().expect("a lock").insert(account.into(), secret.expose().into());
        }
        Ok(())
    }
    fn delete(&self, account: &str) -> Result<(), String> {
        self.answers()?;
        self.kept.lock().expect("a lock").remove(account);
        Ok(())
    }
}

fn keys(data: &Path, ring: &Arc<TestKeyRing>) -> AuditKeys {
    AuditKeys::new(data, Arc::clone(ring) as Arc<dyn KeyRing>)
}

fn opened(data: &Path, ring: &Arc<TestKeyRing>) -> Result<PublicKey, Unusable> {
    keys(data, ring).open(&[]).map(|opened| opened.signer.public_key())
}

fn text(data: &Path) -> String {
    std::fs::read_to_string(data.join("audit.key")).expect("reads")
}

fn files(data: &Path) -> usize {
    std::fs::read_dir(data).expect("lists").count()
}

#[test]
fn a_key_is_made_once_and_kept_for_its_owner() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Absent));
    let first = opened(folder.path(), &ring).expect("makes one");
    assert_eq!(opened(folder.path(), &ring).expect("reads it"), first);
    assert_eq!(files(folder.path()), 1, "nothing is left beside it");
    let path = folder.path().join("audit.key");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("chmod");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        mode(0o640);
        assert!(opened(folder.path(), &ring).expect_err("others can read it").message.contains("chmod 600"));
        mode(0o600);
    }
    std::fs::write(&path, "not a key\n").expect("writes");
    assert!(opened(folder.path(), &ring).expect_err("no key").message.contains("64 hexadecimal digits"));
}

#[test]
fn a_key_moves_into_the_key_store_and_back_and_stays_the_same() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Open));
    let data = folder.path();
    let first = opened(data, &ring).expect("makes one");
    assert_eq!(ring.count(), 0, "a start puts nothing into the key store");
    let secret = text(data).lines().nth(1).expect("a line").to_owned();

    let mut said = Vec::new();
    let again = keys(data, &ring).settle(|change| {
        said.push((change.from, change.to, change.made));
        Ok(())
    });
    assert_eq!((again, said), (Ok(false), vec![(Some(Place::File), Place::System, false)]));
    assert!(!text(data).contains(&secret), "the file no longer holds it: {}", text(data));
    assert_eq!(opened(data, &ring).expect("another process finds it"), first);
    let (place, at) = keys(data, &ring).place().expect("a place");
    assert_eq!((place, at), (Place::System, format!("Test key ring: Signalbox, audit {}", first.key_id())));
    // There already.
    keys(data, &ring).choose(Place::System, false, |_| panic!("nothing changes")).expect("is there");

    keys(data, &ring).choose(Place::File, false, |_| Ok(())).expect("goes back");
    assert_eq!(ring.count(), 0);
    assert!(text(data).contains(&secret));
    assert_eq!(opened(data, &ring).expect("reads it"), first);
    let stays = keys(data, &ring).settle(|_| panic!("a person wants it in the file"));
    assert_eq!((stays, ring.count()), (Ok(false), 0));
}

#[test]
fn a_kill_between_any_two_steps_of_a_move_loses_no_key() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Open));
    let data = folder.path();
    let first = opened(data, &ring).expect("makes one");
    let before = text(data);
    // Killed after the key store took it, before the file changed: `record` is what stands between the two.
    let killed = || Unusable { place: None, message: "killed".into(), hint: String::new(), locked: false, lost: false };
    keys(data, &ring).choose(Place::System, false, |_| Err(killed())).expect_err("killed");
    assert_eq!((text(data), ring.count()), (before.clone(), 1));
    assert_eq!(opened(data, &ring).expect("the file's"), first);
    // The next start does it again, into the same entry.
    keys(data, &ring).settle(|_| Ok(())).expect("moves");
    assert_eq!((opened(data, &ring).expect("the key store's"), ring.count()), (first, 1));
    // Back, killed before the key store forgot it.
    let pointer = text(data);
    keys(data, &ring).choose(Place::File, false, |_| Err(killed())).expect_err("killed");
    assert_eq!((text(data), ring.count()), (pointer, 1));
    assert_eq!(opened(data, &ring).expect("the key store's"), first);
}

#[test]
fn what_a_key_store_does_not_give_back_stays_in_the_file() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Forgets));
    let first = opened(folder.path(), &ring).expect("makes one");
    let refused = keys(folder.path(), &ring).settle(|_| panic!("nothing to record")).expect_err("is not kept");
    assert!(refused.message.contains("did not give the key back"), "{refused:?}");
    assert_eq!(opened(folder.path(), &ring).expect("the file's"), first);
}

#[test]
fn a_key_store_that_is_locked_or_gone_makes_no_second_key() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Locked));
    let data = folder.path();
    let first = opened(data, &ring).expect("makes one");
    assert_eq!(keys(data, &ring).settle(|_| panic!("locked")), Ok(true), "worth another look");
    ring.is(Mood::Absent);
    assert_eq!(keys(data, &ring).settle(|_| panic!("absent")), Ok(false), "the file is the place");
    ring.is(Mood::Open);
    keys(data, &ring).settle(|_| Ok(())).expect("moves");

    let pointer = text(data);
    for (mood, locked) in [(Mood::Locked, true), (Mood::Absent, false)] {
        ring.is(mood);
        let why = opened(data, &ring).expect_err("nothing signs");
        assert_eq!((why.place, why.locked, why.lost), (Some(Place::System), locked, false), "{why:?}");
        assert!(why.message.contains("Test key ring") && why.hint.contains("audit key"), "{why:?}");
        assert_eq!(text(data), pointer);
    }
    // Nor when the file is gone as well, as long as a locked key store may have the key.
    std::fs::remove_file(data.join("audit.key")).expect("is removed");
    ring.is(Mood::Locked);
    let known = [first];
    assert!(keys(data, &ring).open(&known).err().expect("is locked").locked);
    assert!(!data.join("audit.key").exists());
    ring.is(Mood::Open);
    let found = keys(data, &ring).open(&known).expect("found again");
    assert_eq!((found.signer.public_key(), found.made, ring.count()), (first, false, 1));
    assert_eq!(text(data), pointer);
}

#[test]
fn a_lost_or_foreign_key_is_told_and_replaced_only_by_a_person() {
    let (folder, ring) = (tempfile::tempdir().expect("folder"), TestKeyRing::new(Mood::Open));
    let data = folder.path();
    let first = opened(data, &ring).expect("makes one");
    keys(data, &ring).settle(|_| Ok(())).expect("moves");
    let name = format!("audit {}", first.key_id());
    let own = ring.kept.lock().expect("a lock").insert(name.clone(), "07".repeat(32)).expect("was there");
    assert!(opened(data, &ring).expect_err("another key").message.contains(&name));
    ring.kept.lock().expect("a lock").remove(&name);
    let lost = opened(data, &ring).expect_err("no key");
    assert!(lost.message.contains(&name) && lost.hint.contains("--new") && lost.lost && !lost.locked, "{lost:?}");
    keys(data, &ring).choose(Place::File, false, |_| panic!("cannot be moved")).expect_err("no key");

    let mut said = None;
    let second = keys(data, &ring).choose(Place::System, true, |change| {
        said = Some((change.key, change.made));
        Ok(())
    });
    let second = second.expect("a new one").public_key();
    assert_eq!(said, Some((second, true)));
    assert_ne!(second, first);
    assert_eq!(opened(data, &ring).expect("the new one"), second);
    assert!(!ring.kept.lock().expect("a lock").values().any(|text| *text == own));
}
