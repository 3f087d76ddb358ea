//! Sentences of any build that name a secret somewhere: no grammar is common to them. The marks are those of the
//! disguised samples.

/// What must be found.
pub(super) const SENTENCES: &[&str] = &[
    "«{alnum:14}x7» — that is the new root password",
    "use «{alnum:14}x7» from now on; it is the root password",
    "always use «{alnum:32}7» as the encryption key",
    "passwd → «{alnum:12}x7»",
    "the Passwort für staging ist «{alnum:14}x7» seit gestern",
    "credentials: user deploy, then «{alnum:14}x7»",
    "the vault unseal key parts are «{alnum:40}7» and «{alnum:40}7»",
    "login for the wiki is always bot / «{alnum:14}x7»",
    "we changed the db password again, the one you want is «{alnum:14}x7», ok?",
    "so the password: admin side «{alnum:14}x7», viewer side «{alnum:14}x7»",
    "sudo asks for a password, type «W{letter:6}@{digit:4}»",
    "I reset the postgres password because of the leak. new value «{alnum:14}x7», rotate in june",
    "the ftp thing wants a password. it's «W{letter:6}#{digit:4}» I think",
    "if it asks for the passphrase give it «{alnum:14}x7»",
    "数据库口令刚被运维重置，新的那个 «{alnum:14}x7» 记一下",
    "堡垒机登录密码我发你了，«{alnum:14}x7»",
    "测试环境账号 tester，密码还是老样子 «W{letter:6}@{digit:4}»",
    "密码别再用旧的了，用 «W{letter:6}!{digit:4}»",
    "跳板机的密码嘛，«{alnum:14}x7» 就行",
    "wifi 密码贴在墙上：«W{letter:6}@{digit:4}»",
    "token 过期了，新的 «{alnum:39}7»",
    "新的 api key 我放这儿 «{alnum:39}7» 别提交",
    "the token you need for the registry, «{alnum:39}7»",
    "here's a fresh api key for the sandbox «{alnum:39}7»",
    "la contraseña del servidor de pruebas es «{alnum:14}x7»",
    "пароль от стенда «{alnum:14}x7»",
    "basic auth for the preview site is preview:«{alnum:14}x7»",
    "log in with admin and «{alnum:14}x7»",
    "the password did not change («{alnum:14}x7»)",
    "admin password for grafana should be «{alnum:14}x7» everywhere",
    "the hmac key was «{alnum:40}7», now «{alnum:40}7»",
];

/// What must stay.
pub(super) const INNOCENT: &[&str] = &[
    "the password check fails in ticket SEC-20931 since build 4417",
    "the token budget of gpt-4o-mini is in docs/limits-2031.md",
    "login broke with commit a1b2c3d and works with 9f8e7d6",
    "the login page is at web1.shop.test:8443 for now",
    "密码校验在 AuthService2 里做，见 LOGIN-1024",
    "the passphrase prompt comes from gpg2 v2.2.41-rc3 on Ubuntu-2204",
    "the key is XXH3_64bits_withSecret() of that header",
    "登录接口返回 ERR_4012，日志在 auth-2031-06.log",
    "wifi drops on the ESP32-S3 board near channel 11",
    "the secret lives in arn:aws:secretsmanager:eu-west-1:{digit:12}:secret:shop-Ab3dEf",
];
