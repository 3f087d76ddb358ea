//! What is hidden in the corpus: the samples of all rules, and kinds that only a name or their surroundings give away.

use nidra_core::text::redact;

/// A kind of secret.
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// What a kind is made of; all of it templates.
pub(crate) enum Shape {
    /// A token that says by itself what it is.
    Token(&'static str),
    /// A value that its name gives away: the name in code, the name in Chinese, the value.
    Named(&'static str, &'static str, &'static str),
    /// A text with the secret in its place, perhaps of many lines.
    Text(&'static str),
}

/// All kinds.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for samples in redact::samples() {
        for (index, template) in samples.positive.iter().enumerate() {
            let whole =
                template.starts_with('«') && template.find('»') == Some(template.len() - '»'.len_utf8());
            let shape = if whole { Shape::Token(template) } else { Shape::Text(template) };
            kinds.push(Kind { name: format!("{}/{}", samples.rule, index + 1), shape });
        }
    }
    let named = NAMED.iter().map(|&(kind, name, chinese, value)| (kind, Shape::Named(name, chinese, value)));
    let texts = TEXTS.iter().map(|&(kind, template)| (kind, Shape::Text(template)));
    kinds.extend(named.chain(texts).map(|(kind, shape)| Kind { name: kind.to_owned(), shape }));
    kinds
}

/// Kinds with a name beside them.
const NAMED: &[(&str, &str, &str, &str)] = &[
    ("password/word-and-number", "password", "密码", "{letter:7}{digit:4}"),
    ("password/capital-and-mark", "DB_PASSWORD", "数据库密码", "S{letter:6}{digit:2}!"),
    ("password/at-sign", "adminPassword", "管理员密码", "Z{letter:4}@{digit:4}"),
    ("password/random", "redis_password", "口令", "{alnum:24}"),
    ("password/random-marks", "smtp_pass", "邮箱密码", "{alnum:6}#{alnum:5}%{alnum:5}"),
    ("password/phrase", "passphrase", "密码", "{letter:6}-{letter:5}-{digit:2}-{letter:6}"),
    ("password/german", "passwort", "密码", "{letter:6}{digit:4}!"),
    ("password/spanish", "contrasena", "密码", "{letter:7}{digit:3}"),
    ("password/wifi", "wifi_psk", "口令", "{alnum:14}"),
    ("secret/hex-32", "api_key", "密钥", "{hex:32}"),
    ("secret/hex-40", "DATADOG_APP_KEY", "密钥", "{hex:40}"),
    ("secret/hex-64", "SESSION_SECRET", "密钥", "{hex:64}"),
    ("secret/base64-44", "encryption_key", "加密密钥", "{base64:43}="),
    ("secret/alnum-40", "COHERE_API_KEY", "令牌", "{alnum:40}"),
    ("secret/alnum-20", "client_secret", "秘钥", "{alnum:20}"),
    ("secret/uuid", "HEROKU_API_KEY", "密钥", "{uuid}"),
    ("secret/url-base64", "accessToken", "访问令牌", "{url:64}"),
    ("secret/refresh", "refresh_token", "刷新令牌", "{url:48}"),
    ("secret/private-hex", "private_key", "私钥", "0x{hex:64}"),
    ("secret/signing", "JWT_SIGNING_KEY", "签名密钥", "{alnum:48}"),
    ("secret/webhook", "webhookSecret", "密钥", "{hex:48}"),
    ("secret/storage", "OSS_ACCESS_KEY_SECRET", "密钥", "{alnum:30}"),
];

/// Kinds that come with their surroundings.
const TEXTS: &[(&str, &str)] = &[
    (
        "private-key/rsa",
        "-----BEGIN RSA PRIVATE KEY-----\n«{base64:64}\n{base64:64}\n{base64:64}\n{base64:30}==»\n-----END RSA PRIVATE KEY-----",
    ),
    (
        "private-key/pkcs8",
        "-----BEGIN PRIVATE KEY-----\n«MIGHAgEAMBMGByqGSM49{base64:44}\n{base64:64}\n{base64:40}»\n-----END PRIVATE KEY-----",
    ),
    (
        "private-key/openssh",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n«b3BlbnNzaC1rZXktdjEAAAAA{base64:46}\n{base64:70}\n{base64:70}\n{base64:28}=»\n-----END OPENSSH PRIVATE KEY-----",
    ),
    (
        "private-key/encrypted",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n«{base64:64}\n{base64:64}\n{base64:20}==»\n-----END ENCRYPTED PRIVATE KEY-----",
    ),
    (
        "private-key/pgp",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«lQdGBGYxx{base64:55}\n{base64:64}\n{base64:30}=\n={base64:4}»\n-----END PGP PRIVATE KEY BLOCK-----",
    ),
    (
        "private-key/one-line",
        "key: -----BEGIN PRIVATE KEY----- «{base64:64} {base64:64} {base64:20}==» -----END PRIVATE KEY-----",
    ),
    ("private-key/cut-off", "-----BEGIN RSA PRIVATE KEY-----\n«{base64:64}\n{base64:64}»\n... 21 more lines"),
    (
        "private-key/folded",
        "tls.key: |-\n    -----BEGIN EC PRIVATE KEY-----\n    «{base64:64}\n    {base64:64}\n    {base64:20}==»\n    -----END EC PRIVATE KEY-----",
    ),
    (
        "private-key/service-account",
        "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n«{base64:64}\\n{base64:64}\\n{base64:20}=\\n»-----END PRIVATE KEY-----\\n\",",
    ),
    (
        "private-key/putty",
        "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 3\n«{base64:64}\n{base64:64}\n{base64:30}==»\nPrivate-MAC: done",
    ),
    ("private-key/wireguard", "[Interface]\nPrivateKey = «{base64:43}=»\nAddress = 10.0.0.2/32"),
    ("connection/postgres", "postgres://app:«{alnum:16}»@db.test:5432/shop"),
    ("connection/mysql", "mysql://root:«{letter:6}{digit:3}!»@10.0.0.5:3306/shop?ssl=true"),
    ("connection/mongodb", "mongodb+srv://svc:«{alnum:18}»@cluster0.ab1cd.mongodb.net/?retryWrites=true"),
    ("connection/redis", "redis://:«{alnum:24}»@cache.test:6379/0"),
    ("connection/amqp", "amqps://rabbit:«{alnum:14}»@mq.test:5671/vhost"),
    (
        "connection/odbc",
        "Server=db.test;Database=shop;User Id=sa;Password=«{letter:5}{digit:3}!x»;Encrypt=True",
    ),
    ("connection/jdbc", "jdbc:postgresql://db.test/shop?user=app&password=«{alnum:16}»&ssl=true"),
    ("connection/git", "git remote add origin https://ci:«{alnum:26}»@git.test/shop.git"),
    ("connection/proxy", "export HTTPS_PROXY=http://proxyuser:«{alnum:12}»@proxy.test:3128"),
    ("connection/smtp", "smtp://mailer%40shop.test:«{alnum:16}»@smtp.test:587"),
    ("file/pgpass", "db.test:5432:shop:app:«{alnum:14}»"),
    ("file/netrc", "machine git.test login ci password «{alnum:14}»"),
    ("file/netrc-lines", "machine git.test\n  login ci\n  password «{alnum:14}»"),
    ("file/docker-config", "{\"auths\": {\"reg.test\": {\"auth\": \"«{base64:38}==»\"}}}"),
    ("file/npmrc", "//registry.test/:_authToken=«{alnum:36}»"),
    ("file/pip", "index-url = https://build:«{alnum:22}»@pypi.test/simple"),
    ("file/htpasswd-command", "htpasswd -bc /etc/nginx/users admin «{alnum:14}»"),
    ("file/cargo-credentials", "[registry]\ntoken = \"«{alnum:32}»\""),
    (
        "file/aws-credentials",
        "[default]\naws_access_key_id = «AKIA{upper:16}»\naws_secret_access_key = «{base64:40}»",
    ),
    ("file/kubeconfig", "users:\n- name: admin\n  user:\n    token: «{alnum:80}»"),
    ("file/kubernetes-env", "- name: DB_PASSWORD\n  value: \"«{alnum:16}»\""),
    ("file/dockerfile", "ENV DB_PASSWORD «{alnum:16}»"),
    ("file/ansible", "ansible_become_pass: «{alnum:14}»"),
    ("file/terraform", "  password = \"«{alnum:16}»\"\n  username = \"admin\""),
    ("file/gradle", "storePassword=«{alnum:12}»\nkeyAlias=upload"),
    ("file/php", "define('DB_PASSWORD', '«{alnum:16}»');"),
    ("file/spring", "spring.datasource.password=«{alnum:16}»"),
    (
        "file/kubeconfig-key",
        "    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpN{base64:2200}==»",
    ),
    (
        "file/ansible-vault",
        "vault: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  «{hex:80}\n  {hex:80}\n  {hex:40}»",
    ),
    (
        "file/terraform-state",
        "\"db_password\": {\"value\": \"«{alnum:16}»\", \"type\": \"string\", \"sensitive\": true}",
    ),
    ("file/terraform-variable", "TF_VAR_db_password=«{letter:9}{digit:2}»"),
    ("file/comma-list", "name,login,password\nann,ann1,«{alnum:14}»\nbob,bob1,«{letter:6}{digit:4}»"),
    ("file/tab-list", "host\tuser\tpassword\ndb1\tapp\t«{alnum:14}»"),
    ("file/npm-config", "npm config set //registry.test/:_authToken «{uuid}»"),
    ("file/xml-attribute", "<add key=\"SmtpPassword\" value=\"«{letter:6}{digit:4}»\" />"),
    ("file/xml-property", "<property name=\"connection.password\">«{letter:6}{digit:4}»</property>"),
    ("call/set-password", "login.setPassword(\"«{letter:6}{digit:4}»\")"),
    ("call/fill", "page.fill('#password', '«{letter:6}{digit:4}»')"),
    ("cookie/request", "Cookie: theme=dark; sessionid=«{lower:32}»; lang=en"),
    ("cookie/response", "Set-Cookie: connect.sid=«s%3A{url:32}.{base64:43}»; Path=/; HttpOnly"),
    ("cookie/curl", "curl -H 'Cookie: JSESSIONID=«{hex:32}»' https://a.test/cart"),
    ("header/basic", "Authorization: Basic «{base64:30}==»"),
    ("header/bearer", "Authorization: Bearer «{url:48}»"),
    ("header/api-key", "X-API-Key: «{alnum:32}»"),
    ("header/curl-user", "curl -u deploy:«{alnum:16}» https://a.test/v1/me"),
    ("header/curl-long-user", "curl --user 'deploy:«{alnum:16}»' https://a.test/v1/me"),
    ("header/fetch", "fetch(url, { headers: { Authorization: 'Bearer «{alnum:40}»' } })"),
    ("sentence/english", "the password for the staging box is «{letter:7}{digit:3}»"),
    ("sentence/english-quoted", "The admin password is `«{letter:6}!{digit:2}»`, please keep it."),
    ("sentence/english-changed", "we changed the db password to «{alnum:14}» yesterday"),
    ("sentence/english-pair", "you can log in, credentials: admin / «{letter:6}{digit:4}»"),
    ("sentence/english-slash", "login: deploy/«{alnum:14}» on staging"),
    ("sentence/chinese", "数据库密码是«{letter:6}{digit:4}»，先别改"),
    ("sentence/chinese-blank", "测试环境的口令 «{alnum:12}» 只给内部用"),
    ("sentence/chinese-colon", "后台登录密码：«{letter:5}@{digit:4}»。"),
    ("sentence/chinese-pair", "账号密码：admin / «{letter:6}{digit:4}»"),
    ("sentence/chinese-pair-words", "用户名 admin，密码 «{alnum:12}»，记得改"),
    ("sentence/chinese-token", "访问令牌改成 «{alnum:32}» 了"),
    ("sentence/chinese-traditional", "密碼是 «{alnum:12}»，請勿外傳"),
    ("sentence/german", "Das Passwort für den Testserver lautet «{letter:6}{digit:4}»."),
    ("sentence/spanish", "la contraseña es «{letter:7}{digit:3}», no la compartas"),
    ("sentence/french", "le mot de passe est «{letter:6}{digit:4}!»"),
    ("sentence/portuguese", "a senha do servidor é «{letter:6}{digit:4}»"),
    ("sentence/russian", "пароль: «{letter:6}{digit:4}»"),
    ("sentence/japanese", "パスワードは «{letter:6}{digit:4}» です"),
    ("sentence/korean", "비밀번호는 «{letter:6}{digit:4}» 입니다"),
    ("sentence/english-before", "just use «{letter:6}{digit:4}» as the db password for now"),
    ("sentence/english-before-is", "«{alnum:14}» is the new admin password, keep it safe"),
    ("sentence/english-later", "the password was rotated yesterday; it is now «{letter:6}{digit:4}»"),
    ("sentence/english-next", "We reset the admin password. The new one is «{letter:6}{digit:4}»."),
    ("sentence/english-both", "changed the password from «{letter:6}{digit:4}» to «{letter:7}{digit:3}»"),
    (
        "sentence/english-mail",
        "the new passphrase for the backup disk is\n\n  «{letter:5}-{letter:6}-{digit:3}»\n\nBest, Ann",
    ),
    ("sentence/english-answer", "ann: what's the db password?\nbob: «{letter:6}{digit:4}»"),
    ("sentence/chinese-before", "先用 «{letter:6}{digit:4}» 当密码"),
    ("sentence/chinese-before-set", "把 «{letter:6}{digit:4}» 设置成 root 的密码"),
    ("sentence/chinese-later", "口令换了，现在是 «{letter:6}{digit:4}»"),
    ("sentence/chinese-again", "数据库密码已经重置，改成«{letter:6}@{digit:4}»了"),
    ("sentence/chinese-both", "口令已从 «{letter:6}{digit:4}» 改为 «{letter:7}{digit:3}»"),
    ("sentence/chinese-brackets", "口令为「«{letter:6}{digit:4}»」"),
    ("sentence/chinese-thick-brackets", "密码改成【«{letter:6}{digit:4}»】了"),
    ("sentence/chinese-answer", "老王：测试库密码多少？\n小李：«{letter:6}@{digit:4}»"),
    ("sentence/pin", "the PIN for the door is «{digit:6}»"),
    ("table/key-value", "| host | db.test |\n| password | «{alnum:14}» |"),
    ("table/columns", "| user | password | role |\n|---|---|---|\n| admin | «{alnum:12}» | owner |"),
    ("table/chinese", "| 账号 | 密码 |\n| --- | --- |\n| admin | «{letter:6}{digit:4}» |"),
    (
        "seed-phrase/english",
        "mnemonic: «abandon ladder orbit velvet canyon drift harvest mirror tunnel whisper anchor puzzle»",
    ),
    (
        "seed-phrase/24",
        "my recovery phrase is «ripple gadget sunset ocean violin marble copper lantern meadow frozen tiger budget casual elbow fabric giant humble island jungle kitchen lemon metal napkin olive»",
    ),
    (
        "seed-phrase/chinese-words",
        "助记词：«ripple gadget sunset ocean violin marble copper lantern meadow frozen tiger budget»",
    ),
    ("command/mysql", "mysql -h db.test -u root -p«{alnum:12}» shop < dump.sql"),
    ("command/psql", "PGPASSWORD=«{alnum:14}» psql -h db.test -U app shop"),
    ("command/docker-login", "docker login reg.test -u ci -p «{alnum:20}»"),
    ("command/login-flag", "tool login --user me --password «{letter:6}{digit:3}!»"),
    ("command/sql-user", "CREATE USER 'app'@'%' IDENTIFIED BY '«{alnum:14}»';"),
    ("command/chpasswd", "echo 'deploy:«{alnum:12}»' | chpasswd"),
    ("command/aws-configure", "aws configure set aws_secret_access_key «{base64:40}»"),
    ("command/helm", "helm install db bitnami/postgresql --set auth.postgresPassword=«{alnum:14}»"),
    ("command/kubectl", "kubectl create secret generic db --from-literal=password=«{alnum:16}»"),
    ("command/redis", "redis-cli -h cache.test -a «{alnum:20}» ping"),
];
