"""Messages to a shop, generated from templates for training, and written one by one for evaluation."""

import re

LABELS = ["account", "delivery", "other", "payment", "product", "return"]

ITEMS = """
jacket;coat;shirt;pair of shoes;pair of jeans;dress;sweater;backpack;bag;watch;lamp;chair;table;desk;sofa;mirror
phone;laptop;tablet;camera;keyboard;headphones;speaker;printer;charger;monitor;book;toy;bicycle;helmet;tent
blender;kettle;toaster;vacuum cleaner;coffee machine;mattress;pillow;blanket;rug;curtain;plant;guitar
""".replace("\n", ";").strip(";").split(";")

SLOTS = {
    "item": ITEMS,
    "parcel": ["parcel", "package", "order", "delivery", "shipment", "{item}", "box", "letter"],
    "when": "today;yesterday;tomorrow;last week;this week;next week;on Monday;on Friday;two days ago;a month ago;"
    "in March;this morning;for a week;since Tuesday;10 days ago".split(";"),
    "place": "Berlin;London;Paris;Canada;Spain;my office;my neighbor;a different address;the post office;Italy;"
    "my new home;a pickup point;the islands;another country;my work".split(";"),
    "card": "credit card;debit card;bank account;gift card;voucher;PayPal;bank transfer;invoice;Visa card".split(";"),
    "amount": ["20 dollars", "50 euros", "100 pounds", "15 dollars", "twice", "a fee", "too much", "the tax"],
    "color": ["blue", "black", "red", "green", "white", "yellow", "gray", "brown", "pink"],
    "size": ["small", "medium", "large", "XL", "size 42", "size 8", "a bigger size", "a smaller size"],
    "defect": "is broken;arrived damaged;does not work;has a scratch;is too small;is too big;does not fit;is torn;"
    "is defective;stopped working;has a hole;is the wrong color;is not what I ordered".split(";"),
    "material": ["leather", "cotton", "wool", "steel", "wood", "plastic", "glass", "aluminum", "silk"],
    "feature": "waterproof;washable;in stock;available in {color};available in {size};made of {material};vegan;"
    "suitable for children;compatible with my {item};still sold;heavy;rechargeable;dishwasher safe".split(";"),
    "detail": ["name", "address", "email address", "phone number", "username", "birthday", "language", "photo"],
    "friend": ["sister", "brother", "friend", "daughter", "son", "mother", "father", "wife", "husband"],
}

TEMPLATES = {
    "account": """
take me off your list
I get too many emails from you
I never received the verification code
what do you know about me
which data of mine do you have
does my account still exist
I signed up with the wrong email
I forgot my password
how do I reset my password
I cannot log in to my account
I can't log in
I can't sign in since {when}
please delete my account
I want to close my account
how do I change my {detail}
change my {detail} please
my {detail} is wrong in my profile
please update my {detail} in my account
I did not get the confirmation email
the password link does not work
the code for the login never arrives
my account is locked
my account was blocked {when}
why is my account suspended
someone logged in to my account
I think my account was hacked
how can I register
I would like to create an account
can I have two accounts
I want to merge two accounts
please unsubscribe me from the newsletter
stop sending me emails
I don't want to get your newsletter
which personal data do you store about me
I want a copy of my data
turn on two factor login
the app logs me out all the time
where can I see my settings
my username is already taken
how do I verify my email
I get an error when I sign up
remove my {detail} from your records
can my {friend} use my account
the website says my password is invalid
enable notifications on my profile
""",
    "delivery": """
I received only half of my {parcel}
my order was supposed to come {when}
my order should be here {when}
can you hold my {parcel} until {when}
can the driver leave my {parcel} at the door
where is my {parcel}
when will my {parcel} arrive
my {parcel} has not arrived
my {parcel} did not arrive {when}
I have not received my {parcel}
I am still waiting for my {parcel}
how long does shipping take
how long does the delivery to {place} take
do you ship to {place}
do you deliver to {place}
can you send my {parcel} to {place}
please deliver the {parcel} to {place}
the tracking number does not work
the tracking has not changed {when}
I need the tracking number for my {parcel}
can I track my {parcel}
my {parcel} is late
the {parcel} should have been here {when}
the courier did not ring
the driver left the {parcel} in the rain
the {parcel} was left with {place}
no one was here when the driver came
can I choose a delivery date
can you deliver {when}
I need the {item} {when} will it arrive in time
change the delivery address of my {parcel}
I gave the wrong shipping address
has my {parcel} been shipped
has the {item} left the warehouse
my {parcel} is lost
is express shipping available
how much is shipping to {place}
do you deliver on weekends
can I pick up my {parcel} at {place}
the {parcel} was sent to {place} by mistake
the carrier says delivered but I have nothing
one {parcel} of two is missing
my {parcel} is stuck in customs
""",
    "payment": """
do you take Mastercard or American Express
do you take cash
is it possible to pay cash
is there a way to pay later
I want to split the payment
how much do I have to pay
how much money is on my {card}
I was charged {amount}
why was I charged {amount}
I paid {amount} by mistake
you charged my {card} {amount}
my {card} was declined
my {card} is not accepted
can I pay with my {card}
do you accept {card}
how can I pay
can I pay in installments
can I pay by {card}
my payment failed {when}
the payment did not go through
I have been billed {amount} for one {item}
please send me an invoice
I need an invoice for my {item}
I need a receipt for my taxes
there is a mistake in my invoice
the total on my bill is wrong
the discount was not applied
my {card} code does not work at checkout
the price at checkout is higher
money was taken from my {card} {when}
I see a charge that I do not know
cancel my subscription and stop charging me
when will you charge my {card}
the voucher has expired
how do I use a gift card
how do I use a discount code
I want to change my {card}
please remove my {card}
is it safe to pay with a {card}
do I have to pay tax
which currency is the price in
my bank blocked the payment
the checkout shows an error after I enter my {card}
I still owe {amount}
I got a payment reminder but I have paid
""",
    "product": """
is there a guarantee on the {item}
what is the guarantee on the {item}
I am not sure which size I need
do I need a {size} or a {size}
should I take {size} or {size}
which of the {item}s is better
which one is better at night
what kind of {material} is it
how many people fit in it
how fast is the {item}
does the {item} have a pocket
is the {item} {feature}
is this {item} {feature}
does the {item} come in {color}
do you have the {item} in {size}
do you have this in {color}
when will the {item} be back in stock
is the {item} sold out
what is the {item} made of
is it made of {material}
how big is the {item}
how heavy is the {item}
what are the dimensions of the {item}
which size should I choose for a {item}
does the {item} run small
how long does the battery of the {item} last
does the {item} have a warranty
how do I clean the {item}
can I wash the {item}
how do I assemble the {item}
is there a manual for the {item}
where can I find the instructions for my {item}
what is the difference between the two models
which {item} do you recommend
which {item} is better for beginners
I am looking for a {color} {item}
do you sell {item} parts
does the {item} include a charger
does it fit a {item}
does the {item} work with my {item}
can the {item} be used outside
where is the {item} made
is the color of the {item} the same as in the picture
do you have a {item} for my {friend}
is there a newer version of the {item}
tell me more about the {color} {item}
how many colors are there
is the {material} real
how loud is the {item}
""",
    "return": """
the {item} broke on the first day
the {item} broke after a week
my {item} broke {when}
the {item} leaks
the {item} tore {when}
the {item} fell apart
they do not fit how do I send them back
it does not fit
the {item} must be defective
I received the wrong {item}
I received another {item} than I ordered
I got something that I did not order
a part of the {item} is cracked
a button of the {item} is missing
I want to return the {item}
I want to return my {item}
how do I return a {item}
I would like to send the {item} back
how can I send back my {parcel}
I want a refund
I want my money back
when do I get my refund
I have not got my refund for the {item}
please refund my {item}
the {item} {defect}
my {item} {defect}
the {item} {defect} and I want to return it
the {item} {defect} please replace it
the {item} {defect} can I exchange it
I want to exchange the {item} for {size}
can I exchange the {color} one for a {color} one
can I swap the {item} for another
please send a replacement for my {item}
you sent the wrong {item}
I got the wrong {item}
I ordered {color} but got {color}
I ordered {size} but got {size}
I need a return label
where do I print the return label
the return label does not work
how long can I return a {item}
what is your return policy
do I have to pay for returns
is the return free
I sent the {item} back {when} and have heard nothing
did you receive my return
has my return arrived
can I return a gift
can I return the {item} without the box
I changed my mind about the {item}
I do not like the {item} and want to return it
the {item} was broken when I opened the box
""",
    "other": """
thanks that was fast
that was quick
that is kind of you
can someone call me
please call me {when}
could you call me back
are you a human or a computer
is this a machine
are you hiring
are you looking for people
on which days are you open
at what time do you close
do you close on Sundays
how late are you open
my {friend} is a doctor
my {friend} is a student
my {friend} is a teacher
I am a student
I am hungry
I like the sea
we had a good time {when}
play a song
sing with me
what is your name
how are you
how old are you
where are you from
do you like music
who are you
what can you do
can you speak German
what is two plus two
it is cold {when}
it is sunny {when}
the train was late {when}
good luck
nice to meet you
never mind
ok
yes
no
great
I have a suggestion
I want to talk to your manager
you have the best shop
hello
good morning
hi there
thank you
thanks a lot
thank you very much for your help
you are great
you were very helpful
are you a robot
am I talking to a person
can I talk to a person
what are your opening hours
when do you open
are you open {when}
where is your store
do you have a shop in {place}
do you have any jobs
I would like to work for you
I want to apply for a job
who is the boss of your company
how old is your company
what is the weather like {when}
tell me a joke
what time is it
who won the game {when}
I love your shop
I had a nice day {when}
have a nice day
goodbye
see you {when}
my {friend} says hello
what is your phone number
how can I call you
your website looks nice
your site is slow {when}
I am a journalist and have some questions
we would like to work with your company
do you sponsor schools
happy birthday
my {friend} lives in {place}
""",
}

# Phrases that determine the topic, combined with neutral sentences.
KEYWORDS = {
    "account": """
my account;my login;my password;my username;my profile;my settings;my email address;signing in;signing up;signing out
the registration;the newsletter;the mailing list;my personal data;my privacy;the verification code;my user name
the login page;the sign up form;a new account;my old account;the security question;two factor authentication
logging in;creating an account;closing my account;deleting my account;resetting my password;unsubscribing
access to my account;being logged out;a forgotten password;the wrong email in my profile;notifications;hacked account
""",
    "delivery": """
my delivery;the shipping;my parcel;my package;the courier;the driver;the tracking number;the delivery date;the carrier
the delivery address;the shipping address;the shipping costs;express delivery;a late delivery;a lost parcel;customs
the mailman;my mailbox;the post office;the pickup point;the warehouse;the shipment;overnight shipping;home delivery
waiting for my order;an order that did not arrive;a missing parcel;arrival;international shipping;my neighbor has it
the transit time;a delay;delivery to another country;dispatch;the estimated arrival;the street and house number
""",
    "other": """
a song;a human;a robot;a machine;a teacher;a student;the sea;the time;a call;a phone call;my family;a story;a game;Sundays
your address;the parking lot;your manager;a visit;your events;my birthday;animals;the train;a language;cooking
the weather;a job;your opening hours;your store;your company;football;my holidays;music;your team;a film;dinner;politics
an interview;the news;a nice day;your website;your phone number;an application for a job;your partners;my cat;my dog
your founder;a school project;the city;the traffic;your advertising;a compliment;your staff;a career;the weekend
""",
    "payment": """
American Express;Mastercard or Visa;cash payments;the money;paying later;paying half;the total;the sum;a bank account
my payment;the price;my invoice;my bill;a charge;my credit card;the checkout;a discount code;a voucher;a gift card;a fee
a coupon;the promotion;the receipt;the tax;a bank transfer;paying;being charged twice;installments;the currency
my subscription fee;a double charge;the amount;a declined card;a failed payment;my statement;cash;a payment reminder
the transaction;my bank;the cost;billing;debt;the balance;an unknown charge;money taken twice;Visa;Mastercard;PayPal
""",
    "product": """
medium or large;the guarantee;the zoom;the speed;the sound;the pictures it takes;the number of watts;the shape
the size;the color;the material;the battery;the dimensions;the weight;the warranty;the instructions;the manual;the fabric
a size chart;the features;the stock;spare parts;the length;the width;the height;the capacity;the power;the screen;the model
the quality of the {item};how to wash it;how to clean it;the ingredients;accessories;the design;the version;the {item}
compatibility;availability;the {color} {item};a recommendation;assembly;being waterproof;the guarantee;the pockets
""",
    "return": """
a {item} that broke;a zipper;a leaking {item};a cracked {item};pants that do not fit;a {item} that fell apart
a return;a refund;an exchange;a replacement;my money back;the return label;the return policy;a broken {item};a repair
a damaged {item};the wrong item;a defective {item};the wrong size;sending it back;giving it back;taking it back
swapping it;a faulty {item};a scratch on my {item};a crack in my {item};missing buttons on my {item};a hole in it
a torn {item};poor quality;the return period;something I did not order;an {item} that does not work;a leak;a complaint
""",
}

NEUTRAL = """
{key};{key} please;I have a question about {key};I have a problem with {key};can you help me with {key}
tell me about {key};what about {key};something is wrong with {key};I need help with {key};who can help with {key}
it is about {key};this is about {key};I am writing about {key};I am not happy with {key};what is going on with {key}
could you explain {key};is there any news about {key};is {key} possible;how does {key} work;I want to know about {key}
I would like to talk about {key};do you know anything about {key};any information on {key};why is {key} a problem
my {friend} has a question about {key};we need {key};there is an issue with {key};I am worried about {key}
""".strip().replace("\n", ";").split(";")

BEFORE = ["hi", "hello", "hello ,", "hi team ,", "good morning ,", "please help ,", "sorry but", "excuse me ,", "hey ,"]
AFTER = [
    "thanks", "thank you", "please help", "can you help me", "please", "please answer soon", "what can I do",
    "what should I do", "regards", "any idea", "I am a bit annoyed", "this is urgent", "this is the second time",
]  # fmt: skip


def messages(random, label, count):
    """Returns generated messages of a topic: two thirds from templates, one third from keywords."""
    templates = TEMPLATES[label].strip().split("\n")
    keywords = KEYWORDS[label].strip().replace("\n", ";").split(";")
    patterns = [
        str(random.choice(templates)) if number % 3 else with_keyword(random, keywords)
        for number in range(count)
    ]
    return [varied(random, filled(random, pattern)) for pattern in patterns]


def with_keyword(random, keywords):
    return str(random.choice(NEUTRAL)).replace("{key}", random.choice(keywords))


def filled(random, template):
    """Replaces the slots of a template, which may contain slots themselves."""
    while "{" in template:
        before, _, rest = template.partition("{")
        slot, _, after = rest.partition("}")
        template = before + SLOTS[slot][random.integers(len(SLOTS[slot]))] + after
    return template


def varied(random, text):
    """Adds a greeting, a closing phrase or punctuation at times."""
    if random.random() < 0.25:
        text = f"{BEFORE[random.integers(len(BEFORE))]} {text}"
    if random.random() < 0.5:
        text += " " + random.choice(["?", ".", "!"])
    if random.random() < 0.25:
        text += f" {AFTER[random.integers(len(AFTER))]}"
    return text


def vocabulary_texts():
    """Returns texts with all words of the messages."""
    slots = [text for texts in SLOTS.values() for text in texts]
    texts = [*TEMPLATES.values(), *KEYWORDS.values(), *NEUTRAL, *slots, *BEFORE, *AFTER, "? . !"]
    return [re.sub(r"\{\w+\}", " ", text) for text in texts]


# Messages with which templates and settings were chosen.
DEVELOPMENT = {
    "account": """
My login stopped working after I changed phones.
Could you reset the password for me?
I'd like my profile to be deleted, including all data.
I registered with the wrong email. How can I correct it?
It says that my account doesn't exist, but I signed up in May.
Too many emails! Please take me off the mailing list.
I moved and got married, so my name and address in the profile need to be changed.
I never received the code to verify my phone number.
Someone else seems to be using my account.
Is it possible to log in with my Google account?
The sign up page keeps showing an error.
How do I turn off notifications?
What information do you have about me?
My user name has a typo in it.
I'm locked out, help!
Can I share my account with my wife?
""",
    "delivery": """
It's been two weeks and still no sign of my parcel.
The mailman says he delivered it, but my mailbox is empty.
Any chance the shoes get here before Saturday?
Do you also ship abroad, for example to Norway?
Tracking says "in transit" for five days now.
Can the courier leave it at the neighbor's?
I'll be on vacation; please hold the shipment until the 20th.
Why is shipping so slow?
What does overnight delivery cost?
My order was supposed to come last Thursday.
Please send it to my office instead of my home.
Only half of my order arrived, where is the rest?
Which carrier do you use?
Has my package already left?
I typed in the wrong street, can you still redirect the parcel?
The driver threw my package over the fence.
""",
    "other": """
Good evening!
Thanks, that was quick.
Do you have a store in Madrid?
Are you hiring at the moment?
Is this a bot or a human?
What are you doing tonight?
Which team won yesterday?
I just wanted to say that your staff is wonderful.
Can someone call me back?
At what time do you close on Sundays?
We are students and would like to interview your founder.
It is raining again.
Bye, and have a good weekend.
How is the weather in London?
My brother is a teacher.
Sing a song for me.
""",
    "payment": """
You took the money twice from my account!
Do you take American Express?
My Visa gets rejected at the checkout every time.
I never got a bill for the last purchase.
Could I pay half now and half next month?
There's a 12 dollar fee on my statement that I can't explain.
The promo code SUMMER is not accepted.
Why is the amount on the invoice different from the price on the page?
I paid by bank transfer a week ago, have you received the money?
Is cash on delivery possible?
My company needs a receipt with the VAT number.
How much credit is left on my gift card?
I was billed for a subscription that I canceled.
Please update the card you have on file, it has expired.
Can I use two vouchers for one purchase?
The transaction failed but the money is gone.
""",
    "product": """
Is the tent big enough for four people?
Does this laptop have a touch screen?
How many watts does the toaster have?
Can I put the mug into the microwave?
Do you carry hiking boots for kids?
Which of the cameras takes better pictures at night?
Will the red version be available again?
Is the jacket warm enough for winter?
Are batteries included?
How tall is the lamp?
Is the chair easy to assemble?
I'm not sure whether I need a medium or a large.
What's the guarantee on this watch?
Does the backpack have a pocket for a bottle?
Is that sofa real leather?
What kind of fabric is used for the curtains?
""",
    "return": """
The zipper of my new jacket broke on the first day.
These pants don't fit, how do I send them back?
You shipped a blue shirt although I ordered a white one.
Where's my refund? I returned everything in June.
The screen is cracked, I'd like a new one.
How many days do I have to return something?
Can I get a replacement for the faulty charger?
I'm not happy with the quality and want my money back.
Please exchange it for a smaller size.
Who pays the postage if I send the lamp back?
Half of the plates were broken.
I received someone else's item.
Would you take back a mattress that has been used?
The kettle leaks, it must be defective.
My return was rejected, why?
May I return it in one of your stores?
""",
}


# Messages that were not used to choose templates or settings.
HELD_OUT = {
    "account": """
Why do I have to log in again every day?
I'd rather not get your weekly newsletter any more.
My daughter opened a profile with my email, please delete it.
The reset link has expired before I could use it.
Can you tell me which email address I registered with?
I want to know what you store about me and have it erased.
My password isn't accepted although it is correct.
How do I sign out on all devices?
Please correct the spelling of my last name.
Is it possible to have a login for my colleague too?
""",
    "delivery": """
My bike still isn't here, and it was due on Tuesday!
Can I have the parcel brought to my work?
How many days does it take until the package reaches Rome?
The link for tracking my order is dead.
I wasn't home when the postman came, what happens to my parcel now?
Could you ship the desk next month, we are moving.
It says delivered, yet no one has given me anything.
Do you ship to Japan?
The box was dropped off at the wrong house.
Can I still change where the order goes?
""",
    "other": """
Hey, how is it going?
Do you open on public holidays?
I'd like to speak to a real person please.
You have made my day!
Is there a bus to your shop?
We want to write an article about your firm.
My cat is sleeping.
Do you offer internships?
What's the capital of France?
Thanks again, bye.
""",
    "payment": """
Why does the invoice show 80 euros when the page said 70?
I was debited two times for the same order.
Is PayPal possible?
My voucher code gets refused.
The payment page crashes when I enter the number of my card.
I need the bill with the name of my company on it.
Can I pay when I get the goods?
You keep charging me every month for something I canceled.
Please tell me your bank details for the transfer.
I don't recognize this charge on my statement.
""",
    "product": """
Does the printer work with a tablet?
How long is the cable of the headphones?
Is there a smaller version of this table?
Can the blanket go into the washing machine?
What colors does the backpack come in?
Is the watch good for swimming?
My feet are wide, which size do you suggest?
When do you get the green kettle again?
How much does the bicycle weigh?
Does the speaker run on batteries?
""",
    "return": """
The lamp came in pieces, I need another one.
Where do I find the form for returning things?
This isn't the book that I ordered.
I'd like my money refunded, the camera never worked.
One sleeve is longer than the other, can I swap it?
When will I be refunded for the boots I sent back?
The handle of the bag came off after one day.
Can I return underwear?
The dress is too tight, I need the next size.
You have sent me two left shoes.
""",
}


def written(texts):
    """Returns messages and their labels."""
    return [(text, label) for label in LABELS for text in texts[label].strip().split("\n")]
