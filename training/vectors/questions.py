"""Questions and statements of the kind that memory holds, put together from our own patterns and listed words.

The packages hold few questions. What a question is about, and which of its words only ask, is told by the teachers;
the patterns only show them enough of both.
"""

import re

ENGLISH = """
who is responsible for the {a}?
who owns the {a}?
who should I ask about the {a}?
whose {a} is it?
where is the {a} kept?
where do we store the {a}?
where can I find the {a} of the {b}?
where does the {a} come from?
when does the {a} start?
when is the {a} due?
when will the {a} be ready?
at what time does the {a} happen?
how often is the {a} checked?
how long does the {a} take?
how long may the {a} be?
how many people need the {a}?
how much does the {a} cost?
how much {a} do we have?
how big can the {a} get?
how do I {v} the {a}?
how should we {v} a {a}?
how is the {a} of the {b} handled?
how should I name the {a}?
what is the limit for the {a}?
what is the {a} called?
what happens when the {a} fails?
what did we decide about the {a}?
what should I avoid in the {a}?
what caused the trouble with the {a}?
what do we use as {a}?
what does the user think about the {a}?
what kind of {a} does the {b} need?
which {a} do we use for the {b}?
which {a} is the right one?
which language is the {a} written in?
which day is the {a}?
why did we choose the {a}?
why is the {a} so slow?
may I {v} the {a}?
am I allowed to {v} the {a} myself?
can the {a} be used without the {b}?
do we still support the {a}?
do I need a {a} before I {v} the {b}?
is there a rule about the {a}?
is it fine to {v} the {a}?
should I {v} the {a} or the {b}?
any {a} I should know about?
The {a} is kept in the {b}.
The {a} is stored next to the {b}.
Anna is responsible for the {a}.
The {a} belongs to the team of the {b}.
The {a} starts at nine in the morning.
The {a} is due on Friday.
The {a} takes about twenty minutes.
The {a} is checked every week.
The {a} must stay below forty.
At most ten people may {v} the {a}.
The {a} costs four hundred euros.
The {a} is called after the {b}.
Never {v} the {a} without a {b}.
Always {v} the {a} before the {b}.
Do not {v} the {a}; ask first.
Only the {b} may {v} the {a}.
We use a {a} for the {b}.
We replaced the {a} with a {b} last month.
We no longer {v} the {a}.
The user prefers a {a} to a {b}.
The user dislikes the {a}.
The {a} failed because of the {b}.
The {a} is slow since the {b} changed.
The {a} needs a {b}.
The {a} is written by hand, the {b} is not.
Every {a} has its own {b}.
The {a} moved from the {b} to another place.
The {a} was rejected; the {b} stays.
The {a} ends in September.
"""

CHINESE = """
谁负责{a}？
{a}归谁管？
{a}放在哪里？
{a}保存在什么地方？
{a}什么时候开始？
{a}几点进行？
{a}哪天截止？
{a}多久检查一次？
{a}要花多长时间？
{a}最多可以有多少？
{a}需要多少钱？
怎么{v}{a}？
应该怎样{v}{a}和{b}？
为什么没有采用{a}？
为什么选择{a}而不是{b}？
{a}出问题的原因是什么？
{a}失败了怎么办？
我们用什么{a}？
{b}用哪种{a}？
{a}叫什么名字？
可以{v}{a}吗？
能不能不经同意就{v}{a}？
{a}有什么限制？
{a}还需要{b}吗？
用户喜欢什么样的{a}？
{a}由李明负责。
{a}保存在{b}里。
{a}放在{b}旁边。
{a}上午九点开始。
{a}星期五之前要完成。
{a}大约需要二十分钟。
{a}每周检查一次。
{a}不能超过四十。
{a}要四百元。
没有{b}不要{v}{a}。
{v}{a}之前必须先{v}{b}。
只有{b}可以{v}{a}。
我们用{a}做{b}。
上个月把{a}换成了{b}。
我们不再{v}{a}。
用户更喜欢{a}，不喜欢{b}。
{a}失败是因为{b}。
{a}变慢的原因是{b}。
每个{a}都有自己的{b}。
{a}禁止{v}，除非有{b}。
"""

TRADE = """
account address agenda alert algorithm allergy answer api app appointment archive argument article assignment backup badge
balance bandwidth bank batch bed bill binary boiler book branch bridge browser budget bug build building bus button cable
cache calendar camera certificate change channel chapter checklist chef chemical class client clinic cluster code column
comment commit compiler component config connection contact container contract cookie copy coupon course crash credential
crop customer dashboard data database deadline debugger delivery dependency deployment design designer diagram diet discount
disk document domain dosage draft driver editor election email employee encryption endpoint engine entry error event exam
exception exhibition expense experiment export feature fee field file filter firewall flag flight folder font form format
framework fridge frontend function garden gateway grade graph guest harvest header heating holiday hook hospital host hotel
image import index indentation interface interview inventory invoice issue job key keyboard kitchen label language latency
launch law lawyer layout lease lecture lesson library licence limit linter list loan lock log login logo loop machine mail
manuscript medicine meeting member memory menu message metric migration mobile model module monitor museum network newsletter
node note notification number object office order owner package page parameter parser partner passport password patch patient
payment payroll permission phone photo pipeline plan plant platform player plugin policy pool port power prescription price
printer process product profile project proof prototype proxy pump query queue quota receipt recipe record region release
reminder rent repair report repository request review reviewer role room route runner salary sample scan schedule schema
school score script search secret sensor sentence server service session setting shelf shift shop signature snapshot socket
song source spreadsheet stack staff standard storage student stylesheet subscription summary supplier surgery survey
switch symbol system table tag target task tax teacher team template tenant terminal test theme thesis thread ticket timeout
timer timezone token tool tour tractor traffic training translation treatment type tyre update upload user vacation vaccine
value variable vendor version video visa volume warehouse warning water webhook website window workflow workshop
"""

TOOLS = """
Airflow Amplify Android Angular Ansible Apache Astro Auth0 Azure Babel Bamboo Bash Bazel Bitbucket Blender Bootstrap Buildkite
Bun Cargo Cassandra Celery Ceph Chrome CircleCI Clang Clickhouse Cloudflare CMake Cobol Conan Confluence Consul Cypress Dart
Datadog Debian Deno Discord Django Docker Doctrine Dropbox DuckDB Eclipse Elasticsearch Electron Elixir Emacs Envoy Erlang
ESLint Excel Express Fastify Figma Firebase Firefox Flask Fluentd Flutter Fortran Gatsby Gin Git GitHub GitLab Gmail Godot
Gradle Grafana GraphQL Haskell Helm Heroku Hibernate Homebrew Hugo iOS Insomnia IntelliJ Istio Jaeger Java JavaScript Jekyll
Jenkins Jest Jira JMeter jQuery Julia Jupyter Kafka Keycloak Kibana Knex Kotlin Kubernetes Lambda LaTeX Laravel Lerna Linux
Logstash Lua MariaDB Markdown Mattermost Maven Memcached Mercurial Mercurius MinIO MongoDB MySQL Netlify Next.js Nginx Nix Nomad
Notion npm Numpy Nuxt OAuth Okta OpenAPI OpenCV OpenGL Oracle Outlook Pandas Perl Photoshop PHP Playwright pnpm Podman Poetry
Postgres PostgreSQL Postman PowerPoint PowerShell Prettier Prisma Prometheus Protobuf Puppet Pulumi Pydantic pytest Python
PyTorch Qt RabbitMQ Rails React Redis Redux Rollup Ruby Ruff Rust S3 Salesforce Sass Scala Selenium Sentry Shopify Sidekiq Slack
Snowflake Solr Spark Splunk Spring SQLAlchemy SQLite Storybook Stripe Svelte Swift Symfony Tailwind Teams Tensorflow Terraform
Thunderbird Traefik Travis TypeScript Ubuntu Unity Vagrant Vault Vercel Vim Vite Vue Webpack Windows WordPress Xcode YAML Yarn
Zabbix Zendesk Zoom Zsh
"""

ABOUT_TOOLS = """
The project uses {t}.
We use {t} and not {u}.
The {a} runs on {t}.
The {a} is written with {t}.
{t} was replaced by {u}.
We decided against {t}.
Use {t} for the {a}.
Never use {t} for the {a}.
The {a} is managed by {t}.
The {a} is stored in {t}.
The {a} is sent to {t}.
The user prefers {t} to {u}.
{t} handles the {a}.
{t} is configured in the {a}.
The {a} needs {t} 2 or newer.
The {a} failed after {t} was updated.
The {a} is built with {t} in the pipeline.
the {t} {a} is slow
what do we use instead of {t}?
do we use {t} or {u}?
where is {t} configured?
who maintains the {t} {a}?
why did we drop {t}?
can I use {t} here?
which version of {t} do we need?
is the {a} done with {t}?
how do I set up {t} for the {a}?
what is {t} used for?
"""

ABOUT_TOOLS_CHINESE = """
项目使用{t}。
我们用{t}，不用{u}。
{a}运行在{t}上。
{t}换成了{u}。
{a}由{t}管理。
{a}保存在{t}里。
不要用{t}做{a}。
用户更喜欢{t}。
为什么不用{t}？
{t}用来做什么？
{a}是用{t}写的吗？
{t}在哪里配置？
"""


def patterns(text):
    return [line for line in text.strip().splitlines() if line]


def fill(pattern, things, verbs, generator):
    """A pattern with words by chance."""
    first, second = generator.sample(things, 2)
    return pattern.format(a=first, b=second, v=generator.choice(verbs))


def english(nouns, verbs, generator, count):
    """English questions and statements, half of them about things of work."""
    trade = TRADE.split()
    lines = patterns(ENGLISH)
    out = [fill(lines[index % len(lines)], trade if index % 2 else nouns, verbs, generator) for index in range(count)]
    out = [re.sub(r"\ba ([aeio])", r"an \1", line) for line in out]
    return list(dict.fromkeys(out))


def chinese(nouns, verbs, generator, count):
    """Chinese questions and statements."""
    lines = patterns(CHINESE)
    return list(dict.fromkeys(fill(lines[index % len(lines)], nouns, verbs, generator) for index in range(count)))


def about_tools(lines, things, generator, count):
    """Texts about programs and services, whose names the packages seldom hold."""
    tools = TOOLS.split()
    out = []
    for index in range(count):
        tool = tools[index % len(tools)]
        other, thing = generator.choice(tools), generator.choice(things)
        out.append(generator.choice(lines).format(t=tool, u=other, a=thing))
    return list(dict.fromkeys(out))
