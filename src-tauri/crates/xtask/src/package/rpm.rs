//! The same packages for Fedora, openSUSE and their relatives: the spec file from which `rpmbuild` packs a folder. Pure.

use super::files::Package;

/// What `dpkg` calls an architecture, in the words of RPM.
pub(crate) fn arch(debian: &str) -> &str {
    match debian {
        "amd64" => "x86_64",
        "arm64" => "aarch64",
        other => other,
    }
}

/// Where a file of the Debian package goes here; none where it has no use.
pub(crate) fn place(path: &str) -> Option<String> {
    // Debian's own format for the licence; the text of the licence is added.
    if path.ends_with("/copyright") {
        return None;
    }
    Some(path.replace("usr/share/zsh/vendor-completions/", "usr/share/zsh/site-functions/"))
}

/// The spec file. `stage` holds the files at their places; `files` are their paths, without a slash at the beginning. What
/// libraries the programs need, `rpmbuild` reads from them.
pub(crate) fn spec(package: Package, version: &str, stage: &str, files: &[String], fast: bool) -> String {
    let name = package.name();
    let requires = match package {
        Package::App | Package::Cli | Package::Runners => String::new(),
        Package::Server => {
            // By its path: the package of `useradd` is `shadow-utils` in Fedora and `shadow` in openSUSE.
            format!(
                "Requires: signalbox-cli = {version}\nRequires: ca-certificates\nRequires(pre): /usr/sbin/useradd\n"
            )
        }
    };
    let line = |path: &String| {
        let kind = if path.starts_with("etc/") { "%config(noreplace) " } else { "" };
        format!("{kind}\"/{path}\"\n")
    };
    let files: String = files.iter().map(line).collect();
    let scripts = if package == Package::Server { SCRIPTS } else { "" };
    let summary = package.summary();
    let summary =
        format!("{}{}", summary.get(..1).unwrap_or_default().to_uppercase(), summary.get(1..).unwrap_or_default());
    // The programs are stripped already, and the pages packed; all times are that of the source.
    format!(
        "%global debug_package %{{nil}}\n%global __os_install_post %{{nil}}\n%global _build_id_links none\n\
         %global source_date_epoch_from_changelog 0\n%global use_source_date_epoch_as_buildtime 1\n\
         %global clamp_mtime_to_source_date_epoch 1\n%global _buildhost localhost\n%global _binary_payload {}\n\n\
         Name: {name}\nVersion: {version}\nRelease: 1\nSummary: {}\nLicense: Apache-2.0\n{requires}\n\
         %description\n{}\n\n%install\ncp -a \"{stage}/.\" \"%{{buildroot}}\"\n\n%files\n%defattr(-,root,root,-)\n{files}{scripts}",
        if fast { "w1.gzdio" } else { "w19.zstdio" },
        summary,
        package.paragraphs(),
    )
}

/// The data stays when the package goes: RPM knows no purge.
const SCRIPTS: &str = "
%pre
getent passwd signalbox >/dev/null || useradd --system --user-group --home-dir /var/lib/signalbox --no-create-home \\
    --shell /sbin/nologin --comment 'Signalbox server' signalbox

%post
install -d -o signalbox -g signalbox -m 0700 /var/lib/signalbox
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl enable signalbox-server.service
    systemctl restart signalbox-server.service
fi

%preun
if [ \"$1\" = 0 ] && [ -d /run/systemd/system ]; then
    systemctl disable --now signalbox-server.service
fi

%postun
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
fi
";

#[cfg(test)]
mod tests {
    use super::{place, spec};
    use crate::package::files::Package;

    #[test]
    fn a_spec_lists_each_file_and_keeps_settings() {
        let files = ["usr/bin/signalbox".to_owned(), "etc/default/signalbox-server".to_owned()];
        let text = spec(Package::Server, "0.1.0", "/stage", &files, false);
        for line in [
            "Name: signalbox-server",
            "Version: 0.1.0",
            "Summary: Run active Signalbox workflows as a service",
            "\"/usr/bin/signalbox\"",
            "%config(noreplace) \"/etc/default/signalbox-server\"",
            "cp -a \"/stage/.\" \"%{buildroot}\"",
        ] {
            assert_eq!(text.lines().filter(|one| *one == line).count(), 1, "{line}\n{text}");
        }
        assert!(
            text.contains("useradd --system")
                && !spec(Package::App, "0.1.0", "/stage", &files, false).contains("%post")
        );
        assert!(!text.contains("rm -rf"), "data stays");
    }

    #[test]
    fn files_go_where_these_systems_look() {
        assert_eq!(place("usr/share/doc/signalbox/copyright"), None);
        let zsh = place("usr/share/zsh/vendor-completions/_signalbox");
        assert_eq!(zsh.as_deref(), Some("usr/share/zsh/site-functions/_signalbox"));
    }
}
