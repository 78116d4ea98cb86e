//! What the packages consist of: file lists, control fields, the systemd unit, the desktop entry, maintainer scripts. Pure.

use signalbox_oci::tar::Tree;

/// The packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Package {
    /// The window.
    App,
    /// The command line with man pages and completions.
    Cli,
    /// What exported programs are made of.
    Runners,
    /// The service.
    Server,
}

impl Package {
    pub(crate) const ALL: [Self; 4] = [Self::App, Self::Cli, Self::Runners, Self::Server];

    /// Its name in Debian.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::App => "signalbox",
            Self::Cli => "signalbox-cli",
            Self::Runners => "signalbox-runners",
            Self::Server => "signalbox-server",
        }
    }

    pub(crate) fn summary(self) -> &'static str {
        match self {
            Self::App => "draw workflows, run them, answer what they ask",
            Self::Cli => "run and check workflows drawn in Signalbox at the terminal",
            Self::Runners => "export Signalbox workflows as programs",
            Self::Server => "run active Signalbox workflows as a service",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::App => {
                " Signalbox runs workflows of plain, language model, agent and tool steps that\n people draw. Errors are data, people \
                 answer tasks in an inbox, and every\n action is recorded in an audit chain.\n .\n This package has the desktop \
                 application."
            }
            Self::Cli => {
                " Signalbox runs workflows of plain, language model, agent and tool steps that\n people draw.\n .\n This package has the \
                 command line, its man pages and completions."
            }
            Self::Runners => {
                " Signalbox exports a workflow as one program, an image or a Cargo project.\n .\n This package has the programs and \
                 sources that such exports are made of."
            }
            Self::Server => {
                " Signalbox runs workflows of plain, language model, agent and tool steps that\n people draw.\n .\n This package has a systemd \
                 service with its own account. It listens on\n 127.0.0.1:9160; its settings are in /etc/default/signalbox-server."
            }
        }
    }

    /// The description without the marks of Debian's format.
    pub(crate) fn paragraphs(self) -> String {
        let line = |line: &str| if line.trim() == "." { "" } else { line.trim() }.to_owned();
        self.description().lines().map(line).collect::<Vec<_>>().join("\n")
    }

    fn depends(self, version: &str, libc: &str) -> String {
        match self {
            // Each library that the program is linked with; `cargo xtask peers packages` compares them. Debian 13 has other names
            // for those whose interfaces changed with 64-bit times.
            Self::App => format!(
                "libc6 (>= {libc}), libcairo2, libdbus-1-3, libgcc-s1, libgdk-pixbuf-2.0-0, libglib2.0-0t64 | libglib2.0-0, \
                 libgtk-3-0t64 | libgtk-3-0, libjavascriptcoregtk-4.1-0, libsoup-3.0-0, libwebkit2gtk-4.1-0"
            ),
            Self::Cli | Self::Runners => format!("libc6 (>= {libc}), libgcc-s1"),
            Self::Server => format!("signalbox-cli (= {version}), adduser, ca-certificates"),
        }
    }
}

/// The file `control`. `size` in KiB.
pub(crate) fn control(package: Package, version: &str, arch: &str, libc: &str, size: u64) -> String {
    let recommends = match package {
        Package::App => "Recommends: signalbox-cli, signalbox-runners, xdg-utils\n",
        Package::Cli => "Recommends: ca-certificates\nSuggests: signalbox-runners\n",
        Package::Runners | Package::Server => "",
    };
    format!(
        "Package: {}\nVersion: {version}\nArchitecture: {arch}\nMaintainer: Signalbox developers <signalbox@localhost>\n\
         Installed-Size: {size}\nDepends: {}\n{recommends}Section: misc\nPriority: optional\nDescription: {}\n{}\n",
        package.name(),
        package.depends(version, libc),
        package.summary(),
        package.description()
    )
}

/// The programs and texts that packages are made of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    pub(crate) desktop: Vec<u8>,
    pub(crate) program: Vec<u8>,
    /// Name and program of each runner of exported workflows, and of its compressed form.
    pub(crate) runners: Vec<(String, Vec<u8>)>,
    /// What exported projects are made of, packed.
    pub(crate) sources: Vec<u8>,
    /// Size in pixels and PNG of each icon.
    pub(crate) icons: Vec<(u16, Vec<u8>)>,
    /// The drawing (SVG) that the icons are made of.
    pub(crate) drawing: Vec<u8>,
    pub(crate) license: Vec<u8>,
    /// Licences of what is compiled in, gzipped.
    pub(crate) notices: Vec<u8>,
    /// Gzipped.
    pub(crate) changelog: Vec<u8>,
    /// Name and gzipped page.
    pub(crate) man: Vec<(String, Vec<u8>)>,
    pub(crate) bash: Vec<u8>,
    pub(crate) zsh: Vec<u8>,
    pub(crate) fish: Vec<u8>,
}

/// Sizes in pixels that desktops ask for.
pub(crate) const ICON_SIZES: [u16; 8] = [16, 24, 32, 48, 64, 128, 256, 512];
const ICONS: &str = "usr/share/icons/hicolor";

/// Where the unit goes.
pub(crate) const UNIT: &str = "usr/lib/systemd/system/signalbox-server.service";
/// Settings of the service, which a person may change.
pub(crate) const DEFAULTS: &str = "etc/default/signalbox-server";

/// The files of a package.
pub(crate) fn tree(package: Package, parts: &Parts) -> Tree {
    let mut tree = Tree::default();
    let doc = format!("usr/share/doc/{}", package.name());
    tree.file(format!("{doc}/copyright"), COPYRIGHT);
    tree.file(format!("{doc}/NEWS.gz"), parts.changelog.clone());
    // The service has no program.
    if package != Package::Server {
        tree.file(format!("{doc}/THIRD-PARTY.gz"), parts.notices.clone());
    }
    match package {
        Package::App => {
            tree.program("usr/bin/signalbox-desktop", parts.desktop.clone());
            tree.file("usr/share/applications/app.signalbox.desktop.desktop", DESKTOP_ENTRY);
            for (size, icon) in &parts.icons {
                tree.file(format!("{ICONS}/{size}x{size}/apps/app.signalbox.desktop.png"), icon.clone());
            }
            tree.file(format!("{ICONS}/scalable/apps/app.signalbox.desktop.svg"), parts.drawing.clone());
            tree.file("usr/share/mime/packages/signalbox.xml", MIME);
        }
        Package::Cli => {
            tree.program("usr/lib/signalbox/signalbox", parts.program.clone());
            tree.link("usr/bin/signalbox", "../lib/signalbox/signalbox");
            for (name, page) in &parts.man {
                tree.file(format!("usr/share/man/man1/{name}.gz"), page.clone());
            }
            tree.file("usr/share/bash-completion/completions/signalbox", parts.bash.clone());
            tree.file("usr/share/zsh/vendor-completions/_signalbox", parts.zsh.clone());
            tree.file("usr/share/fish/vendor_completions.d/signalbox.fish", parts.fish.clone());
        }
        // In the folder of the program: `export` looks for them there.
        Package::Runners => {
            for (name, program) in &parts.runners {
                tree.program(format!("usr/lib/signalbox/{name}"), program.clone());
            }
            tree.file("usr/lib/signalbox/source.tar.gz", parts.sources.clone());
        }
        Package::Server => {
            tree.file(UNIT, SERVICE);
            tree.file(DEFAULTS, SETTINGS);
        }
    }
    tree
}

/// The files below `DEBIAN`, apart from `control`; scripts are executable.
pub(crate) fn maintainer_files(package: Package) -> Vec<(&'static str, &'static str)> {
    match package {
        Package::App | Package::Cli | Package::Runners => Vec::new(),
        Package::Server => vec![
            ("conffiles", "/etc/default/signalbox-server\n"),
            ("postinst", POSTINST),
            ("prerm", PRERM),
            ("postrm", POSTRM),
        ],
    }
}

/// The portable folder: everything side by side.
pub(crate) fn portable(parts: &Parts, readme: &str) -> Tree {
    let mut tree = Tree::default();
    tree.program("signalbox", parts.program.clone());
    for (name, program) in &parts.runners {
        tree.program(name.clone(), program.clone());
    }
    tree.file("source.tar.gz", parts.sources.clone());
    tree.program("signalbox-desktop", parts.desktop.clone());
    tree.file("LICENSE", parts.license.clone());
    tree.file("THIRD-PARTY.gz", parts.notices.clone());
    tree.file("README.txt", readme);
    for (name, page) in &parts.man {
        tree.file(format!("share/man/man1/{name}.gz"), page.clone());
    }
    tree.file("share/bash-completion/completions/signalbox", parts.bash.clone());
    tree.file("share/zsh/site-functions/_signalbox", parts.zsh.clone());
    tree.file("share/fish/vendor_completions.d/signalbox.fish", parts.fish.clone());
    tree
}

pub(crate) const PORTABLE_README: &str = "\
Signalbox

  ./signalbox-desktop      the window (needs WebKitGTK 4.1)
  ./signalbox serve --ui   the same in a browser
  ./signalbox --help       the command line

The data folder is ~/.local/share/signalbox; --data DIR names another one.
`./signalbox doctor` checks whether this machine is ready.
THIRD-PARTY.gz has the licences of what the programs contain: `zless THIRD-PARTY.gz`.
";

/// Debian has the text of the licence.
const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Signalbox

Files: *
Copyright: Signalbox developers
License: Apache-2.0
 On Debian systems the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
Comment: The programs contain packages of others. Their names, licences and
 notices are in THIRD-PARTY.gz in the folder of documents of signalbox,
 signalbox-cli and signalbox-runners.
";

/// The name of the file is what `signalbox-desktop --register-links` writes for one account.
const DESKTOP_ENTRY: &str = "\
[Desktop Entry]
Type=Application
Name=Signalbox
Comment=Draw a workflow, run it, answer what it asks
Comment[zh_CN]=绘制工作流，运行它，回答它的提问
Exec=signalbox-desktop %u
Icon=app.signalbox.desktop
Terminal=false
Categories=Development;
Keywords=workflow;automation;
StartupWMClass=signalbox-desktop
MimeType=x-scheme-handler/signalbox;application/vnd.signalbox.workflow+json;
";

/// Of two patterns that fit a name the heavier one counts: `*.json` has 50.
const MIME: &str = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<mime-info xmlns=\"http://www.freedesktop.org/standards/shared-mime-info\">
  <mime-type type=\"application/vnd.signalbox.workflow+json\">
    <comment>Signalbox workflow</comment>
    <comment xml:lang=\"zh_CN\">Signalbox 工作流</comment>
    <sub-class-of type=\"application/json\"/>
    <icon name=\"app.signalbox.desktop\"/>
    <glob weight=\"80\" pattern=\"*.signalbox.json\"/>
  </mime-type>
</mime-info>
";

const SETTINGS: &str = "\
# Settings of signalbox-server. After a change: systemctl restart signalbox-server

# Address and port. Requests must name this address, or SIGNALBOX_PUBLIC_URL, in their Host header.
SIGNALBOX_ADDR=127.0.0.1:9160

# HTTPS. The group signalbox must be able to read the key.
#SIGNALBOX_PUBLIC_URL=https://signalbox.example.com:9160
#SIGNALBOX_TLS_CERT=/etc/signalbox/server.pem
#SIGNALBOX_TLS_KEY=/etc/signalbox/server.key

# People sign in by an identity provider (OpenID Connect).
#SIGNALBOX_OIDC_ISSUER=https://id.example.com
#SIGNALBOX_OIDC_CLIENT_ID=signalbox
#SIGNALBOX_OIDC_CLIENT_SECRET_FILE=/etc/signalbox/oidc-secret
#SIGNALBOX_OIDC_ROLES=builder=team-automation,operator=desk

# More arguments of `signalbox serve`.
SIGNALBOX_ARGS=--ui

# Folders that steps may use are granted per workflow; the service itself may write only below /var/lib/signalbox.
# To allow another folder: systemctl edit signalbox-server, [Service], ReadWritePaths=/srv/data
";

/// A server that is attacked through a workflow, a tool or a web page reaches its own folder and the network, and nothing else.
/// Programs of tool servers are its children: `MemoryDenyWriteExecute` would keep those with a JIT (Node.js) from starting.
const SERVICE: &str = "\
[Unit]
Description=Signalbox server: runs active workflows
Documentation=man:signalbox-serve(1)
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
User=signalbox
Group=signalbox
Environment=SIGNALBOX_KEY_STORE=off
EnvironmentFile=-/etc/default/signalbox-server
ExecStart=/usr/bin/signalbox --json --data /var/lib/signalbox serve --addr ${SIGNALBOX_ADDR} $SIGNALBOX_ARGS
Restart=on-failure
RestartSec=5
TimeoutStopSec=30
StateDirectory=signalbox
StateDirectoryMode=0700
UMask=0077

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
";

const POSTINST: &str = "\
#!/bin/sh
set -e
if [ \"$1\" = configure ]; then
    if ! getent passwd signalbox >/dev/null; then
        adduser --system --group --home /var/lib/signalbox --no-create-home --gecos 'Signalbox server' signalbox
    fi
    # Not made by the package, so that removing it keeps the data.
    install -d -o signalbox -g signalbox -m 0700 /var/lib/signalbox
    if [ -d /run/systemd/system ]; then
        systemctl daemon-reload
        systemctl enable signalbox-server.service
        systemctl restart signalbox-server.service
    elif command -v deb-systemd-helper >/dev/null; then
        deb-systemd-helper enable signalbox-server.service
    fi
fi
";

const PRERM: &str = "\
#!/bin/sh
set -e
# Runs are given back; the new version or the next start continues them.
if [ -d /run/systemd/system ]; then
    systemctl stop signalbox-server.service
    if [ \"$1\" = remove ]; then
        systemctl disable signalbox-server.service
    fi
fi
";

const POSTRM: &str = "\
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
fi
if [ \"$1\" = purge ]; then
    rm -rf /var/lib/signalbox
    if command -v deb-systemd-helper >/dev/null; then
        deb-systemd-helper purge signalbox-server.service
    fi
    if getent passwd signalbox >/dev/null && command -v deluser >/dev/null; then
        deluser --quiet --system signalbox
    fi
    # With the account the group goes, unless something else uses it.
    if getent group signalbox >/dev/null && command -v delgroup >/dev/null; then
        delgroup --quiet --system signalbox || true
    fi
fi
";

#[cfg(test)]
mod tests;
